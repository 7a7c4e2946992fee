import fc from "fast-check";

export type JsonSchema = {
  $ref?: string;
  const?: unknown;
  enum?: unknown[];
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  allOf?: JsonSchema[];
  not?: JsonSchema;
  type?: string | string[];
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  items?: JsonSchema;
  minItems?: number;
  maxItems?: number;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: boolean | JsonSchema;
};
type Definitions = Record<string, JsonSchema>;

const MAX_TEXT_LENGTH = 300;
const MAX_ITEMS = 8;
/**
 * Patterns that `stringMatching` can't generate: it enumerates the characters of a Unicode property,
 * which takes gigabytes, and rejects lookaheads and lookbehinds.
 */
const UNSUPPORTED_PATTERN = /\\p\{|\(\?<?[=!]/i;

/** Values that are valid for a schema. */
export function validValues(
  schema: JsonSchema,
  definitions: Definitions = {},
): fc.Arbitrary<unknown> {
  const inner = (item: JsonSchema) => validValues(item, definitions);
  if (schema.$ref)
    return inner(definitions[schema.$ref.replace("#/components/schemas/", "")] ?? {});
  if ("const" in schema) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return fc.oneof(...choices.map(inner));
  if (schema.allOf)
    return fc.tuple(...schema.allOf.map(inner)).map((parts) => Object.assign({}, ...parts));
  if (Array.isArray(schema.type))
    return fc.oneof(...schema.type.map((type) => inner({ ...schema, type })));
  switch (schema.type) {
    case "string":
      return text(schema);
    case "integer":
      return fc.integer({
        min: Math.max(schema.minimum ?? -1e9, -1e9),
        max: Math.min(schema.maximum ?? 1e9, 1e9),
      });
    case "number":
      return fc.double({ min: schema.minimum ?? -1e9, max: schema.maximum ?? 1e9, noNaN: true });
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "array":
      return fc.array(inner(schema.items ?? {}), {
        minLength: schema.minItems,
        maxLength: Math.min(schema.maxItems ?? MAX_ITEMS, MAX_ITEMS),
      });
    case "object":
      return object(schema, inner);
    default:
      return fc.jsonValue({ maxDepth: 3 });
  }
}

/** These values with one mutation: a field replaced by an odd value, removed, or added. */
export function mutated(values: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const change = fc.constantFrom("replace", "remove", "add");
  return fc
    .tuple(values, fc.nat(), oddValues, change, fc.string())
    .map(([value, at, strange, how, name]) => {
      if (typeof value !== "object" || value === null) return strange;
      const known = Object.keys(value);
      const place = known[at % Math.max(1, known.length)] ?? name;
      if (how === "remove") return without(value, place);
      return { ...value, [how === "add" ? name : place]: strange };
    });
}

/** Values that callers send by mistake or on purpose. */
export const oddValues: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue({ maxDepth: 4 }),
  fc.constantFrom<unknown>(
    null,
    "",
    " ",
    0,
    -1,
    1.5,
    2 ** 31,
    2 ** 53,
    -(2 ** 63),
    1e300,
    true,
    [],
    {},
    [[]],
    "null",
    "NaN",
    "-1",
  ),
  fc.constantFrom(
    "\0",
    "\ud800",
    "\u202e",
    "\ufeff",
    "'; drop table exceptions; --",
    "%",
    "\\",
    "1970-01-01T00:00:00Z",
  ),
  fc.constantFrom(
    "0001-01-01T00:00:00Z",
    "9999-12-31T23:59:59.999Z",
    "2026-02-30T00:00:00Z",
    "2026-06-30T23:59:60Z",
    "user:",
  ),
  fc.integer({ min: 1, max: 20_000 }).map((length) => "x".repeat(length)),
  fc
    .integer({ min: 1, max: 100 })
    .map((depth) => JSON.parse(`${"[".repeat(depth)}${"]".repeat(depth)}`)),
);

function text({
  format,
  pattern,
  minLength = 0,
  maxLength = MAX_TEXT_LENGTH,
}: JsonSchema): fc.Arbitrary<string> {
  const moment = fc
    .date({ min: new Date(0), max: new Date("2999-12-31"), noInvalidDate: true })
    .map((date) => date.toISOString());
  if (format === "date-time") return moment;
  if (format === "date") return moment.map((iso) => iso.slice(0, 10));
  if (format === "uri") return fc.webUrl({ validSchemes: ["https"] });
  const matches = new RegExp(pattern ?? "", "u");
  if (pattern && !UNSUPPORTED_PATTERN.test(pattern)) return fc.stringMatching(matches);
  return fc
    .string({ unit: "grapheme", minLength, maxLength: Math.min(maxLength, MAX_TEXT_LENGTH) })
    .filter((value) => value.length <= maxLength && matches.test(value));
}

function object(
  { properties = {}, required = [], additionalProperties }: JsonSchema,
  inner: (schema: JsonSchema) => fc.Arbitrary<unknown>,
) {
  const possible = Object.entries(properties).filter(([, part]) => !part.not);
  const known = fc.record(Object.fromEntries(possible.map(([name, part]) => [name, inner(part)])), {
    requiredKeys: required,
  });
  if (!additionalProperties) return known;
  const more = fc.dictionary(
    fc.string({ maxLength: 20 }),
    inner(additionalProperties === true ? {} : additionalProperties),
    {
      maxKeys: 4,
    },
  );
  return fc.tuple(more, known).map(([extra, value]) => ({ ...extra, ...value }));
}

function without(value: object, name: string): object {
  return Object.fromEntries(Object.entries(value).filter(([key]) => key !== name));
}
