import { type Definitions, resolve, type Schema, schemaName, withoutNull } from "./schema.ts";

/** The type in a word or two: "string or null", "array of Webhook", "timestamp". */
export function describeType(given: Schema, definitions: Definitions): string {
  const { schema, nullable } = withoutNull(given);
  return nullable ? `${bareType(schema, definitions)} or null` : bareType(schema, definitions);
}

function bareType(schema: Schema, definitions: Definitions): string {
  const name = schemaName(schema);
  if (name?.startsWith("__")) return "any JSON";
  if (name) return name;
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices)
    return [...new Set(choices.map((choice) => describeType(choice, definitions)))].join(" or ");
  if (schema.allOf)
    return schema.allOf.map((part) => describeType(part, definitions)).join(" and ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  switch (schema.type) {
    case "array":
      return `array of ${describeType(schema.items ?? {}, definitions)}`;
    case "object":
      return schema.properties === undefined && typeof schema.additionalProperties === "object"
        ? mapType(schema, definitions)
        : "object";
    case "string":
      return FORMATS[schema.format ?? ""] ?? "string";
    case undefined:
      return "any JSON";
    default:
      return String(schema.type);
  }
}

const FORMATS: Record<string, string> = { "date-time": "timestamp", date: "date", uri: "URL" };

function mapType({ additionalProperties }: Schema, definitions: Definitions): string {
  const values =
    typeof additionalProperties === "object"
      ? describeType(additionalProperties, definitions)
      : "any JSON";
  return values === "any JSON" ? "object" : `map of ${values}`;
}

/** A value's constraints beyond its type, in short phrases. */
export function describeLimits(given: Schema, definitions: Definitions): string[] {
  const schema = resolve(withoutNull(given).schema, definitions);
  const items = schema.items ? resolve(schema.items, definitions) : {};
  return [
    range(schema.minLength, schema.maxLength, "characters"),
    range(schema.minimum, schema.maximum, ""),
    range(schema.minItems, schema.maxItems, "items"),
    formOf(schema) ?? formOf(items),
    schema.default === undefined ? undefined : `default ${JSON.stringify(schema.default)}`,
  ].filter((phrase) => phrase !== undefined);
}

const ID_PREFIX = /^\^([a-z]{3})_\[0-9a-z\]/;

/** An ID's prefix; for other strings the pattern, unless a format says it better. */
function formOf({ pattern, format }: Schema): string | undefined {
  if (pattern === undefined || format !== undefined) return undefined;
  const prefix = ID_PREFIX.exec(pattern)?.[1];
  return prefix ? `${prefix}_…` : `matches ${pattern}`;
}

function range(min: number | undefined, max: number | undefined, unit: string): string | undefined {
  const [from, to] = [known(min), known(max)];
  const text = both(from, to);
  return text && [text, unit].filter(Boolean).join(" ");
}

function both(from: string | undefined, to: string | undefined): string | undefined {
  if (from === to) return from && `exactly ${from}`;
  if (from !== undefined && to !== undefined) return `${from} to ${to}`;
  return from === undefined ? `at most ${to}` : `at least ${from}`;
}

/** JavaScript's largest numbers aren't a limit worth showing. */
function known(value: number | undefined): string | undefined {
  return value === undefined || Math.abs(value) >= Number.MAX_SAFE_INTEGER
    ? undefined
    : value.toLocaleString("en");
}

/** A field's values, if there are only a few. */
export function valuesOf(given: Schema, definitions: Definitions): unknown[] {
  const schema = resolve(withoutNull(given).schema, definitions);
  return schema.enum ?? (schema.items ? (resolve(schema.items, definitions).enum ?? []) : []);
}
