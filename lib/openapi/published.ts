import { type OpenApiDocument, openApiDocument } from "./document.ts";
import { REPLAY_HEADERS, RESPONSE_HEADERS } from "./responses.ts";
import { shareSchemas } from "./share-schemas.ts";

/** Headers that the description explains once: their names in a response, and as components. */
const DESCRIBED_ONCE = new Set(
  Object.entries({ ...RESPONSE_HEADERS, ...REPLAY_HEADERS }).flatMap(([name, { $ref }]) => [
    name,
    $ref.split("/").at(-1),
  ]),
);
const MILLISECONDS_IN_UTC = "\\.\\d{3}Z$";
const MAPS_BY_NAME = new Set(["properties", "schemas", "parameters", "responses", "headers"]);

/**
 * The document as it is served and committed: sorted, and without examples, which the reference
 * shows. Redundant parts are left out, too: bounds that every exact integer has, patterns that
 * repeat a format, lengths that repeat a pattern, int32 if bounds imply it, a parameter's
 * description if its schema repeats it, headers that every response has, which the description
 * names, and the header of replays, which the parameter names. Repeated schemas are shared.
 */
export function publishedDocument(origin?: string): OpenApiDocument {
  const document = withoutRedundancy(openApiDocument(undefined, origin), "") as OpenApiDocument;
  shareSchemas(document as unknown as Parameters<typeof shareSchemas>[0]);
  joinServerErrors(document as unknown as Parameters<typeof joinServerErrors>[0]);
  return document;
}

type Responses = Record<string, unknown>;

/** One response for 500 and 503, which every operation has. */
function joinServerErrors({
  paths,
  components,
}: {
  paths: Record<string, Record<string, { responses: Responses }>>;
  components: { responses: Record<string, { description: string; headers?: object }> };
}): void {
  const { Internal, Unavailable, ...others } = components.responses;
  const problems = ["InternalProblem", "UnavailableProblem"];
  const schema = { oneOf: problems.map((name) => ({ $ref: `#/components/schemas/${name}` })) };
  components.responses = {
    ...others,
    ServerError: {
      ...Unavailable,
      content: { "application/problem+json": { schema } },
      description: [Internal, Unavailable].map((item) => item?.description).join("\n\n"),
    } as (typeof components.responses)[string],
  };
  for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods))) {
    const { 500: internal, 503: unavailable, ...responses } = operation.responses;
    operation.responses = {
      ...responses,
      "5XX": { $ref: "#/components/responses/ServerError" },
    };
  }
}

function withoutRedundancy(value: unknown, keyword: string): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutRedundancy(item, ""));
  if (typeof value !== "object" || value === null) return value;
  const isMap = MAPS_BY_NAME.has(keyword);
  const entries = Object.entries(
    isMap ? value : withNullableType(withoutRepeatedDescription(value)),
  ).filter(([name, child]) =>
    isMap
      ? keyword !== "headers" || !DESCRIBED_ONCE.has(name)
      : !(
          isExample(name) ||
          isUnbounded(name, child) ||
          isDateOrTimePattern(name, child) ||
          isRepeatedLength(name, value) ||
          (name === "format" && child === "int32") ||
          hasOnlyCommonHeaders(name, child)
        ),
  );
  if (keyword !== "properties") entries.sort(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(
    entries.map(([name, child]) => [name, withoutRedundancy(child, isMap ? "" : name)]),
  );
}

/** A parameter whose schema doesn't repeat its description. */
function withoutRepeatedDescription(value: object): object {
  const { in: place, description, schema } = value as Record<string, unknown>;
  if (typeof place !== "string" || typeof schema !== "object" || schema === null) return value;
  const { description: repeated, ...others } = schema as Record<string, unknown>;
  return repeated === description ? { ...value, schema: others } : value;
}

/** Combines a schema of one type or null into one schema with both types, which is shorter. */
function withNullableType(value: object): object {
  const { anyOf, ...others } = value as { anyOf?: Record<string, unknown>[] };
  if (anyOf?.length !== 2) return value;
  const typed = anyOf.find(({ type }) => type !== "null");
  const isNullable = anyOf.some((item) => item.type === "null" && Object.keys(item).length === 1);
  if (!isNullable || typeof typed?.type !== "string" || "enum" in typed || "const" in typed)
    return value;
  return { ...typed, ...others, type: [typed.type, "null"] };
}

function isExample(keyword: string): boolean {
  return keyword === "example" || keyword === "examples";
}

/**
 * The 200-character pattern that zod derives from the format `date`, and the one of times in
 * responses, whose form the document's description states.
 */
function isDateOrTimePattern(keyword: string, value: unknown): boolean {
  return (
    keyword === "pattern" && (String(value).includes("-02-29|") || value === MILLISECONDS_IN_UTC)
  );
}

/** A maximum length that the text's pattern or format already implies. */
function isRepeatedLength(keyword: string, schema: object): boolean {
  if (keyword !== "maxLength") return false;
  const { format, pattern } = schema as { format?: string; pattern?: string };
  const isBounded = pattern !== undefined && /^\^.*\$$/.test(pattern) && !/[+*]|,\}/.test(pattern);
  return isBounded || format === "date" || format === "date-time";
}

/** Whether a response has only headers that the description explains once. */
function hasOnlyCommonHeaders(keyword: string, value: unknown): boolean {
  return (
    keyword === "headers" && Object.keys(value as object).every((name) => DESCRIBED_ONCE.has(name))
  );
}

function isUnbounded(keyword: string, value: unknown): boolean {
  return (
    (keyword === "maximum" || keyword === "minimum") &&
    Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER
  );
}
