import type { Document, Schema } from "./api-document.ts";

/** Two or more string literals, as Redocly writes them. */
const LITERALS = /"(?:[^"\\]|\\.)*"(?: \| "(?:[^"\\]|\\.)*")+/g;
const DECLARATION = /^export type (\w+) = [\s\S]*?;\n(?=\n|$)/gm;

export const OPEN_TYPE =
  "/** Values of later versions of the API are passed through. */\n" +
  "export type Open<Known extends string> = Known | (string & {});\n";

/**
 * The types with open enums in what the API returns: a program that was compiled before a value
 * existed receives it. Types that a request contains keep their closed enums, so that a misspelt
 * value doesn't compile.
 */
export function withOpenEnums(types: string, document: Document): string {
  const requested = requestedTypes(document);
  const enums = [...types.matchAll(DECLARATION)]
    .filter(([text]) => new RegExp(`= ${LITERALS.source};\n$`).test(text))
    .map(([, name]) => name);
  const references = new RegExp(`(?<![\\w."])(?:${enums.join("|")})(?![\\w"?:])`, "g");
  return types.replaceAll(DECLARATION, (text, name: string) => {
    if (requested.has(name) || enums.includes(name)) return text;
    return text
      .split("\n")
      .map((line) => (/^\s*(?:\/\*\*|\*)/.test(line) ? line : opened(line, references)))
      .join("\n");
  });
}

function opened(line: string, references: RegExp): string {
  return line
    .replaceAll(LITERALS, (literals) => `Open<${literals}>`)
    .replaceAll(references, (name) => `Open<${name}>`);
}

/** The schemas that a body or a parameter contains, directly or through others. */
function requestedTypes({ paths, components }: Document): Set<string> {
  const names = new Set<string>();
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    const { $ref } = value as Schema;
    const name = $ref?.startsWith("#/components/schemas/") && $ref.split("/").at(-1);
    if (name && !names.has(name)) {
      names.add(name);
      visit(components.schemas[name]);
    }
    Object.values(value).forEach(visit);
  };
  visit(components.parameters);
  for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods)))
    visit([operation.requestBody, operation.parameters]);
  return names;
}
