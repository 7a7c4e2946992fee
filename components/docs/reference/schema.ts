/** The parts of JSON Schema (OpenAPI 3.1) that the reference reads. */
export type Schema = {
  $ref?: string;
  type?: string | string[];
  format?: string;
  description?: string;
  example?: unknown;
  default?: unknown;
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  not?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
};

export type Definitions = Record<string, Schema>;

/** The schema behind a reference, and its name. */
export function resolve(schema: Schema, definitions: Definitions): Schema {
  const name = schemaName(schema);
  return name === undefined ? schema : (definitions[name] ?? {});
}

/** A schema's name, such as `Exception`; null for names the generator made up. */
export function schemaName({ $ref }: Schema): string | undefined {
  return $ref?.slice("#/components/schemas/".length);
}

/** Separates a nullable schema from its null. */
export function withoutNull(schema: Schema): { schema: Schema; nullable: boolean } {
  if (Array.isArray(schema.type))
    return {
      schema: { ...schema, type: schema.type.find((value) => value !== "null") },
      nullable: true,
    };
  const choices = schema.anyOf ?? schema.oneOf;
  const rest = choices?.filter(({ type }) => type !== "null");
  if (!choices || !rest || rest.length === choices.length) return { schema, nullable: false };
  const { anyOf: _, oneOf: __, ...around } = schema;
  const [only, ...others] = rest;
  return {
    schema: others.length === 0 && only ? { ...only, ...around } : { ...around, anyOf: rest },
    nullable: true,
  };
}

/**
 * The fields of an object, with references resolved; none for anything else. Omits fields a request
 * must not contain.
 */
export function fieldsOf(
  given: Schema,
  definitions: Definitions,
): { name: string; schema: Schema; required: boolean }[] {
  const { schema } = withoutNull(resolve(given, definitions));
  const whole = resolve(schema, definitions);
  const parts = whole.allOf ? whole.allOf.map((part) => resolve(part, definitions)) : [whole];
  return parts.flatMap(({ properties = {}, required = [] }) =>
    Object.entries(properties)
      .filter(([, field]) => field.not === undefined)
      .map(([name, field]) => ({ name, schema: field, required: required.includes(name) })),
  );
}

/** The fields a request must not contain. */
export function refusedFields(given: Schema): string[] {
  return Object.entries(given.properties ?? {}).flatMap(([name, field]) =>
    field.not === undefined ? [] : [name],
  );
}

/** Whether other fields are accepted. */
export function isOpen({ properties, additionalProperties }: Schema): boolean {
  return (
    properties !== undefined && additionalProperties !== undefined && additionalProperties !== false
  );
}
