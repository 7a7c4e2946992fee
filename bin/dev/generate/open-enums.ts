import type { Document, Schema } from "./api-document.ts";

/** Two or more string literals, as Redocly writes them. */
const LITERALS = /"(?:[^"\\]|\\.)*"(?: \| "(?:[^"\\]|\\.)*")+/g;
const DECLARATION = /^export type (\w+) = [\s\S]*?;\n(?=\n|$)/gm;

export const OPEN_TYPES = `/** Values of later versions of the API are passed through. */
export type Open<Known extends string> = Known | (string & {});

/** A value of a later version of the API. It can be sent back; a misspelt value can't be sent. */
export type LaterValue = string & { readonly ofLaterVersion: true };

/** In what is returned and sent: a known value, or one that the API returned. */
export type OrLater<Known extends string> = Known | LaterValue;
`;

/** How a type names its enums: of requests, of responses, or of both. */
export type Openness = "closed" | "open" | "or_later";

/**
 * The types with open enums in what the API returns: a program that was compiled before a value
 * existed receives it. Types that only requests contain keep their closed enums, so that a misspelt
 * value doesn't compile. Types of both accept what the API returned, and no other unknown value.
 */
export function withOpenEnums(types: string, document: Document): string {
  const opennessOf = opennessIn(document);
  const enums = [...types.matchAll(DECLARATION)]
    .filter(([text]) => new RegExp(`= ${LITERALS.source};\n$`).test(text))
    .map(([, name]) => name);
  const references = new RegExp(`(?<![\\w."])(?:${enums.join("|")})(?![\\w"?:])`, "g");
  return types.replaceAll(DECLARATION, (text, name: string) => {
    const openness = opennessOf(name);
    if (openness === "closed" || enums.includes(name)) return text;
    const wrapper = openness === "open" ? "Open" : "OrLater";
    return text
      .split("\n")
      .map((line) => (/^\s*(?:\/\*\*|\*)/.test(line) ? line : opened(line, references, wrapper)))
      .join("\n");
  });
}

function opened(line: string, references: RegExp, wrapper: string): string {
  return line
    .replaceAll(LITERALS, (literals) => `${wrapper}<${literals}>`)
    .replaceAll(references, (name) => `${wrapper}<${name}>`);
}

/** How the enums of each schema are named. A schema that nothing contains counts as returned. */
export function opennessIn({ paths, webhooks, components }: Document): (name: string) => Openness {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const sent = operations.map(({ requestBody, parameters }) => [requestBody, parameters]);
  const requested = schemasIn([components.parameters, sent], components.schemas);
  const results = operations.map(({ responses }) => responses);
  const returned = schemasIn([components.responses, results, webhooks], components.schemas);
  return (name) => {
    if (!requested.has(name)) return "open";
    return returned.has(name) ? "or_later" : "closed";
  };
}

/** The names of the schemas that a part of the document contains, directly or through others. */
function schemasIn(part: unknown, schemas: Document["components"]["schemas"]): Set<string> {
  const names = new Set<string>();
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    const { $ref } = value as Schema;
    const name = $ref?.startsWith("#/components/schemas/") && $ref.split("/").at(-1);
    if (name && !names.has(name)) {
      names.add(name);
      visit(schemas[name]);
    }
    Object.values(value).forEach(visit);
  };
  visit(part);
  return names;
}
