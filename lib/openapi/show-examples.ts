import { z } from "zod";
import type { createDocument } from "zod-openapi";
import { csvOf } from "../http/export.ts";
import { type Contract, XLSX } from "../wire/contract.ts";
import {
  CONSISTENT_SCHEMAS,
  consistentRequest,
  consistentResponse,
} from "./consistent-examples.ts";
import { atEventTime } from "./webhooks.ts";

/** The first bytes of a ZIP file, which a workbook is. */
const ZIP_BEGINS = "PK\u0003\u0004";

type JsonSchema = { [keyword: string]: unknown };
type Definitions = Record<string, JsonSchema>;
type MediaType = { schema?: JsonSchema; example?: unknown; examples?: unknown };
type Body = { content?: Record<string, MediaType> };
type Operation = {
  operationId: string;
  requestBody?: Body;
  responses?: Record<string, Body>;
  parameters?: { name?: string; schema?: JsonSchema }[];
};

/**
 * Adds an example to every request, response and parameter, built from its schemas' examples and
 * made consistent.
 */
export function addExamples(
  document: ReturnType<typeof createDocument>,
  contracts: readonly Contract[],
): void {
  const definitions = (document.components?.schemas ?? {}) as Definitions;
  for (const [name, change] of Object.entries(CONSISTENT_SCHEMAS)) {
    const schema = definitions[name];
    if (schema) schema.example = { ...(exampleOf(schema, definitions, name) as object), ...change };
  }
  const files = new Map(
    contracts.flatMap(({ operationId, file }) => (file ? [[operationId, file]] : [])),
  );
  for (const [name, operations] of [
    ...Object.entries(document.paths ?? {}),
    ...Object.entries(document.webhooks ?? {}),
  ]) {
    for (const operation of Object.values(operations) as Operation[]) {
      const { operationId, requestBody, responses = {}, parameters = [] } = operation;
      const file = files.get(operationId);
      const show = (
        body: Body | undefined,
        makeConsistent: (operationId: string, example: unknown) => unknown,
      ) => {
        for (const media of Object.values(body?.content ?? {})) {
          if (media.schema && media.examples === undefined)
            media.example = makeConsistent(
              operationId,
              atEventTime(name, exampleOf(media.schema, definitions, operationId)),
            );
        }
      };
      show(requestBody, consistentRequest);
      if (file) showFile(responses["200"], file, definitions);
      else for (const answer of Object.values(responses)) show(answer, consistentResponse);
      for (const { name: parameter, schema } of parameters)
        if (schema) schema.example = exampleOf(schema, definitions, `${operationId} ?${parameter}`);
    }
  }
}

/**
 * Adds the first line of an export as its example; for a list, it is the item in the list's
 * example.
 */
function showFile(
  answer: Body | undefined,
  { item, columns, amounts }: NonNullable<Contract["file"]>,
  definitions: Definitions,
): void {
  const {
    "text/csv": csv,
    "application/x-ndjson": ndjson,
    [XLSX]: workbook,
  } = answer?.content ?? {};
  const id = item.meta()?.id;
  const schema = id ? { $ref: `#/components/schemas/${id}` } : (z.toJSONSchema(item) as JsonSchema);
  const line = exampleOf(schema, definitions, "export") as JsonSchema;
  if (csv) csv.example = csvOf([line], columns, true, amounts);
  if (ndjson) ndjson.example = `${JSON.stringify(line)}\n`;
  if (workbook) workbook.example = ZIP_BEGINS;
}

/**
 * The example of a schema: its own, or one built from its parts' examples. @throws Error that names
 * the part without an example.
 */
export function exampleOf(schema: JsonSchema, definitions: Definitions, path: string): unknown {
  if ("example" in schema) return schema.example;
  if ("const" in schema) return schema.const;
  if ("default" in schema) return schema.default;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  if (typeof schema.$ref === "string")
    return exampleOf(definitionOf(schema.$ref, definitions), definitions, path);
  const choice = ((schema.anyOf ?? schema.oneOf) as JsonSchema[] | undefined)?.[0];
  if (choice) return exampleOf(choice, definitions, path);
  if (Array.isArray(schema.allOf)) {
    return Object.assign(
      {},
      ...schema.allOf.map((part: JsonSchema) => exampleOf(part, definitions, path)),
    );
  }
  if (schema.type === "object" && (schema.properties || schema.additionalProperties === false)) {
    const parts = Object.entries((schema.properties ?? {}) as Definitions);
    return Object.fromEntries(
      parts.map(([name, part]) => [name, exampleOf(part, definitions, `${path}.${name}`)]),
    );
  }
  if (schema.type === "array")
    return [exampleOf(schema.items as JsonSchema, definitions, `${path}[]`)];
  if (schema.type === "boolean") return false;
  if (schema.type === "integer" || schema.type === "number") return schema.minimum ?? 0;
  throw new Error(`${path} has no example: add .meta({ example }) to its schema.`);
}

function definitionOf(reference: string, definitions: Definitions): JsonSchema {
  const found = definitions[reference.replace("#/components/schemas/", "")];
  if (!found) throw new Error(`${reference} is not defined.`);
  return found;
}
