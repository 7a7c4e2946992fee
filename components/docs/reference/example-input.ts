import type { Operation } from "./reference.ts";
import { fieldsOf, type Schema } from "./schema.ts";

/** What an example sends: only what the operation requires, and a body with its plain fields. */
export type ExampleInput = {
  /** In the order of the path. */
  path: { name: string; value: string | number }[];
  query: { name: string; value: string | number }[];
  body: { json?: Record<string, unknown>; upload?: string } | undefined;
};

export function inputOf({ contract, parameters, body }: Operation): ExampleInput {
  const exampleFor = (name: string) => {
    const schema = parameters.find((given) => given.name === name)?.schema;
    return schema?.type === "integer" ? Number(schema.example) : String(schema?.example);
  };
  return {
    path: [...contract.path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => ({
      name,
      value: exampleFor(name),
    })),
    query: parameters
      .filter((given) => given.in === "query" && given.required)
      .map(({ name }) => ({ name, value: exampleFor(name) })),
    body: body ? bodyOf(body, contract) : undefined,
  };
}

/** The path and the query. */
export function targetOf({ contract }: Operation, { path, query }: ExampleInput): string {
  const filled = path.reduce(
    (text, { name, value }) => text.replace(`{${name}}`, String(value)),
    contract.path as string,
  );
  const pairs = query.map(({ name, value }) => [name, String(value)]);
  return pairs.length === 0 ? filled : `${filled}?${new URLSearchParams(pairs)}`;
}

/** For a shell, in single quotes. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** For a shell, in quotes only if it needs them. */
export function shellWord(text: string): string {
  return /^[\w./:@=,+-]+$/.test(text) ? text : `"${text}"`;
}

function bodyOf(
  body: NonNullable<Operation["body"]>,
  { upload, idempotency }: Operation["contract"],
): ExampleInput["body"] {
  if (upload) return { upload: String(body.example) };
  const example = body.example as Record<string, unknown>;
  const json = requestExample(body.schema, example, idempotency?.field);
  return body.required || Object.keys(json).length > 0 ? { json } : undefined;
}

/**
 * The example without the idempotency key, which is sent as a header, and without references to
 * other records.
 */
function requestExample(
  schema: Schema,
  example: Record<string, unknown>,
  idempotencyField?: string,
): Record<string, unknown> {
  const optional = fieldsOf(schema, {}).filter(({ required }) => !required);
  const needless = new Set(
    optional.filter(({ name }) => /_ids?$/.test(name)).map(({ name }) => name),
  );
  return Object.fromEntries(
    Object.entries(example).filter(([name]) => name !== idempotencyField && !needless.has(name)),
  );
}
