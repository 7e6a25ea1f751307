// Prints what is wrong with the OpenAPI document of the given name, by all of Redocly's recommended rules, and by two that
// Spectral recommends.
import { readFileSync } from "node:fs";
import { createConfig, lintFromString } from "@redocly/openapi-core";

const file = process.argv[2];
const config = await createConfig({
    extends: ["recommended-strict"],
    rules: { "operation-description": "error", "info-contact": "error" },
});
const problems = await lintFromString({ source: readFileSync(file, "utf8"), absoluteRef: file, config });
for (const { ruleId, message, location } of problems) {
    console.log(`${ruleId}: ${message} (${location.map((place) => place.pointer).join(", ")})`);
}
process.exitCode = problems.length > 0 ? 1 : 0;
