import type { Operation } from "./reference.ts";
import { type Definitions, fieldsOf, type Schema } from "./schema.ts";
import { typeScriptType } from "./typescript-type.ts";

export type Example = { language: "curl" | "TypeScript"; code: string };

const TOKEN = "TIEOUT_TOKEN";

/** Requests to copy, for the origin that serves the page. */
export function examplesOf(
  operation: Operation,
  origin: string,
  definitions: Definitions,
): Example[] {
  return [
    { language: "curl", code: curl(operation, origin) },
    { language: "TypeScript", code: typeScript(operation, origin, definitions) },
  ];
}

function curl(operation: Operation, origin: string): string {
  const { contract } = operation;
  const url = addressOf(operation, origin);
  const writing: Writing = {
    credential: `Bearer $${TOKEN}`,
    newKey: "$(openssl rand -hex 16)",
    text: (value) => value,
  };
  const headers = headersOf(operation, writing).map(([name, value]) => `-H "${name}: ${value}"`);
  const body = bodyOf(operation);
  const data =
    body === undefined
      ? []
      : [`--data-binary ${shellQuoted(body.upload ?? JSON.stringify(body.json, null, 2))}`];
  const verb = contract.method === "GET" ? "" : `-X ${contract.method} `;
  return [`curl ${verb}${url.includes("?") ? `"${url}"` : url}`, ...headers, ...data].join(
    " \\\n  ",
  );
}

function typeScript(operation: Operation, origin: string, definitions: Definitions): string {
  const { contract, response } = operation;
  const body = bodyOf(operation);
  const writing: Writing = {
    credential: `\`Bearer \${process.env.${TOKEN}}\``,
    newKey: "crypto.randomUUID()",
    text: (value) => JSON.stringify(value),
  };
  const headers = headersOf(operation, writing).map(
    ([name, value]) => `    ${/^\w+$/.test(name) ? name : `"${name}"`}: ${value},`,
  );
  const lines = [
    `const response = await fetch("${addressOf(operation, origin)}", {`,
    ...(contract.method === "GET" ? [] : [`  method: "${contract.method}",`]),
    "  headers: {",
    ...headers,
    "  },",
    ...(body === undefined
      ? []
      : [
          `  body: ${body.upload === undefined ? `JSON.stringify(${indented(body.json)})` : JSON.stringify(body.upload)},`,
        ]),
    "});",
    "if (!response.ok) throw new Error(await response.text());",
    ...(response.file === undefined
      ? [
          "const result = (await response.json()) as Result;",
          "",
          `type Result = ${typeScriptType(response.schema, definitions)};`,
        ]
      : ["const result = await response.text();"]),
  ];
  return lines.join("\n");
}

/** JSON, indented by one level, with unquoted names. */
function indented(value: unknown): string {
  return JSON.stringify(value, null, 2)
    .replaceAll("\n", "\n  ")
    .replaceAll(/"([A-Za-z_$][\w$]*)":/g, "$1:");
}

/** How a language writes header values. */
type Writing = { credential: string; newKey: string; text: (value: string) => string };

function headersOf(
  { contract, body }: Operation,
  { credential, newKey, text }: Writing,
): [name: string, value: string][] {
  return [
    ["Authorization", credential],
    ["X-Tenant-Id", text("acme")],
    ...(body
      ? [["Content-Type", text(body.mediaTypes[0] ?? "application/json")] as [string, string]]
      : []),
    ...(contract.idempotency ? [["Idempotency-Key", newKey] as [string, string]] : []),
  ];
}

function addressOf({ contract, parameters }: Operation, origin: string): string {
  const path = contract.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    String(parameters.find((given) => given.name === name)?.schema.example),
  );
  const query = parameters
    .filter((given) => given.in === "query" && given.required)
    .map(({ name, schema }) => [name, String(schema.example)]);
  return `${origin}${path}${query.length === 0 ? "" : `?${new URLSearchParams(query)}`}`;
}

function bodyOf({ body, contract }: Operation): { json?: unknown; upload?: string } | undefined {
  if (!body) return undefined;
  if (contract.upload) return { upload: String(body.example) };
  return {
    json: requestExample(
      body.schema,
      body.example as Record<string, unknown>,
      contract.idempotency?.field,
    ),
  };
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

/** For a shell, in single quotes. */
function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
