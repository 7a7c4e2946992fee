import type { Document } from "./api-document.ts";

/**
 * Adds an index signature to types that allow additional properties. Redocly omits it, so a record
 * with a custom field would not compile.
 */
export function withOpenObjects(types: string, { components }: Document): string {
  const open = Object.entries(components.schemas)
    .filter(([, { properties, additionalProperties }]) => properties && additionalProperties)
    .map(([name]) => name);
  return open.reduce((text, name) => {
    const declaration = new RegExp(`^(export type ${name} = \\{\\n[\\s\\S]*?)^\\};$`, "m");
    if (!declaration.test(text)) throw new Error(`Redocly wrote ${name} in another form.`);
    return text.replace(declaration, (_, start) => `${start}    [name: string]: unknown;\n};`);
  }, types);
}
