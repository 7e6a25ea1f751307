// Holds answers against an OpenAPI document. Its name is the argument; standard input has a line of JSON for each answer:
// method, path, httpStatus, and body. Prints what is wrong with each, a line of JSON each: null is nothing.
//
// The document leaves room for fields that come later. Here an object has no others than those described.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { Ajv2020 } from "ajv/dist/2020.js";

const api = JSON.parse(readFileSync(process.argv[2], "utf8"));

function close(schema) {
    if (schema?.type === "object") schema.additionalProperties ??= false;
    for (const part of Object.values(schema ?? {})) if (typeof part === "object") close(part);
}

for (const response of Object.values(api.components.responses)) close(response.content);
for (const path of Object.values(api.paths)) for (const operation of Object.values(path)) close(operation.responses);
close(api.components.schemas);

// Strict: a word that JSON Schema does not know is an error. Numbers are held to their ranges, not to a format.
const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, formats: { int64: true, binary: true } });
ajv.addVocabulary(Object.keys(api)).addSchema(api, "api");

const pointer = (...parts) => "api#/" + parts.map((part) => encodeURIComponent(part.replace(/\//g, "~1"))).join("/");

function schemaOf({ method, path, httpStatus }) {
    const { $ref } = api.paths[path][method].responses[httpStatus];
    const place = $ref ? $ref.slice(2).split("/") : ["paths", path, method, "responses", `${httpStatus}`];
    return ajv.getSchema(pointer(...place, "content", "application/json", "schema"));
}

function faults(answer) {
    const validate = schemaOf(answer);
    if (validate === undefined) return "no schema";
    return validate(answer.body) ? null : ajv.errorsText(validate.errors);
}

// So that each of them is looked at, and not those alone that some answer needs.
const operations = Object.values(api.paths).flatMap((path) => Object.values(path));
for (const { requestBody } of operations)
    for (const { schema } of Object.values(requestBody?.content ?? {})) ajv.compile(schema);

for await (const line of createInterface({ input: process.stdin }))
    console.log(JSON.stringify(faults(JSON.parse(line))));
