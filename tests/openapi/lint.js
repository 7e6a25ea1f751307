// Prints what is wrong with the OpenAPI document of the given name, by all of Redocly's recommended rules.
import { readFileSync } from "node:fs";
import { createConfig, lintFromString } from "@redocly/openapi-core";

const file = process.argv[2];
const config = await createConfig({ extends: ["recommended-strict"] });
const problems = await lintFromString({ source: readFileSync(file, "utf8"), absoluteRef: file, config });
for (const { ruleId, message, location } of problems) {
    console.log(`${ruleId}: ${message} (${location.map((place) => place.pointer).join(", ")})`);
}
process.exitCode = problems.length > 0 ? 1 : 0;
