import { type OpenApiDocument, openApiDocument } from "./document.ts";
import { ANSWER_HEADERS } from "./responses.ts";

/** Their names in a response, and as components. */
const ON_EVERY_RESPONSE = new Set(
  Object.entries(ANSWER_HEADERS).flatMap(([name, { $ref }]) => [name, $ref.split("/").at(-1)]),
);
const NAMES_OF_OUR_OWN = new Set(["properties", "schemas", "parameters", "responses", "headers"]);

/**
 * The document as it is served and committed: sorted, and without examples, which the reference
 * shows. What says nothing is left out, too: bounds that every exact integer has, patterns that
 * repeat a format, and headers that every response has, which the description names.
 */
export function publishedDocument(origin?: string): OpenApiDocument {
  return terse(openApiDocument(undefined, origin), "") as OpenApiDocument;
}

function terse(value: unknown, keyword: string): unknown {
  if (Array.isArray(value)) return value.map((one) => terse(one, ""));
  if (typeof value !== "object" || value === null) return value;
  const isMap = NAMES_OF_OUR_OWN.has(keyword);
  const entries = Object.entries(value).filter(([name, child]) =>
    isMap
      ? keyword !== "headers" || !ON_EVERY_RESPONSE.has(name)
      : !(isExample(name) || isUnbounded(name, child) || isDay(name, child)),
  );
  if (keyword !== "properties") entries.sort(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(
    entries.map(([name, child]) => [name, terse(child, isMap ? "" : name)]),
  );
}

function isExample(keyword: string): boolean {
  return keyword === "example" || keyword === "examples";
}

/** The pattern that zod derives from the format `date`, of 200 characters. */
function isDay(keyword: string, value: unknown): boolean {
  return keyword === "pattern" && String(value).includes("-02-29|");
}

function isUnbounded(keyword: string, value: unknown): boolean {
  return (
    (keyword === "maximum" || keyword === "minimum") &&
    Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER
  );
}
