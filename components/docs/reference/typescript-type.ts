import {
  type Definitions,
  fieldsOf,
  isOpen,
  resolve,
  type Schema,
  schemaName,
  withoutNull,
} from "./schema.ts";

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

/** A schema as a TypeScript type, with every object written out. */
export function typeScriptType(given: Schema, definitions: Definitions, indent = ""): string {
  const { schema, nullable } = withoutNull(given);
  const text = bareType(schema, definitions, indent);
  return nullable && text !== "unknown" ? `${text} | null` : text;
}

function bareType(schema: Schema, definitions: Definitions, indent: string): string {
  if (schemaName(schema)?.startsWith("__")) return "unknown";
  if (schema.$ref) return typeScriptType(resolve(schema, definitions), definitions, indent);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices)
    return choices.map((choice) => typeScriptType(choice, definitions, indent)).join(" | ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  switch (schema.type) {
    case "string":
    case "boolean":
      return schema.type;
    case "integer":
    case "number":
      return "number";
    case "array":
      return arrayOf(typeScriptType(schema.items ?? {}, definitions, indent));
    case "object":
      return objectType(schema, definitions, indent);
    default:
      return "unknown";
  }
}

function arrayOf(item: string): string {
  return item.includes(" | ") && !item.startsWith("{") ? `(${item})[]` : `${item}[]`;
}

function objectType(schema: Schema, definitions: Definitions, indent: string): string {
  const fields = fieldsOf(schema, definitions);
  if (fields.length === 0) {
    const values =
      typeof schema.additionalProperties === "object"
        ? typeScriptType(schema.additionalProperties, definitions, indent)
        : "unknown";
    return `Record<string, ${values}>`;
  }
  const inner = `${indent}  `;
  const lines = fields.map(
    ({ name, schema: field, required }) =>
      `${inner}${IDENTIFIER.test(name) ? name : JSON.stringify(name)}${required ? "" : "?"}: ${typeScriptType(field, definitions, inner)};`,
  );
  if (isOpen(schema)) lines.push(`${inner}[field: string]: unknown;`);
  return `{\n${lines.join("\n")}\n${indent}}`;
}
