type JsonSchema = { [keyword: string]: unknown };
type Definitions = Record<string, JsonSchema>;

/**
 * An example of a schema: its own, or one put together from the examples of its parts.
 * @throws Error naming the part that has none.
 */
export function exampleOf(schema: JsonSchema, definitions: Definitions, path: string): unknown {
  if ("example" in schema) return schema.example;
  if ("const" in schema) return schema.const;
  if ("default" in schema) return schema.default;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  if (typeof schema.$ref === "string") return exampleOf(definitionOf(schema.$ref, definitions), definitions, path);
  const choice = ((schema.anyOf ?? schema.oneOf) as JsonSchema[] | undefined)?.[0];
  if (choice) return exampleOf(choice, definitions, path);
  if (Array.isArray(schema.allOf)) {
    return Object.assign({}, ...schema.allOf.map((part: JsonSchema) => exampleOf(part, definitions, path)));
  }
  if (schema.type === "object" && (schema.properties || schema.additionalProperties === false)) {
    const parts = Object.entries((schema.properties ?? {}) as Definitions);
    return Object.fromEntries(parts.map(([name, part]) => [name, exampleOf(part, definitions, `${path}.${name}`)]));
  }
  if (schema.type === "array") return [exampleOf(schema.items as JsonSchema, definitions, `${path}[]`)];
  if (schema.type === "boolean") return false;
  if (schema.type === "integer" || schema.type === "number") return schema.minimum ?? 0;
  throw new Error(`${path} has no example: give its schema .meta({ example }).`);
}

function definitionOf(reference: string, definitions: Definitions): JsonSchema {
  const found = definitions[reference.replace("#/components/schemas/", "")];
  if (!found) throw new Error(`${reference} is not defined.`);
  return found;
}
