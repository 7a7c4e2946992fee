import type { Operation } from "../reference/reference.ts";
import { callCode } from "../reference/sdk-example.ts";
import { bearerOf } from "./cli-form.ts";
import type { CurlCall, Step } from "./curl-fence.ts";
import { markedText, type ShellText, textOfWord, unmarked, withoutStart } from "./shell-text.ts";

const COLUMNS = 90;
const WIDE = Number.POSITIVE_INFINITY;
const OPTIONS: Record<string, string> = {
  "idempotency-key": "idempotencyKey",
  "if-match": "ifMatch",
  "x-audit-reason": "auditReason",
};

/** The expressions that stand for shell variables. Others are read from the environment. */
export type Scope = ReadonlyMap<string, string>;

/** The calls of an example by the SDK, as a whole module; null if it can't make one of them. */
export function sdkForm(
  steps: readonly Step[],
  operationOf: (call: CurlCall) => Operation,
  scope: Scope,
): string | null {
  const clients = new Set<string>();
  const lines: string[] = [];
  for (const step of steps) {
    if (step.kind === "print") lines.push(`console.log(${nameOf(step.file)});`);
    if (step.kind !== "call") continue;
    const statement = statementOf(step, operationOf(step), scope);
    if (statement === null) return null;
    clients.add(clientOf(step, scope));
    lines.push(...(lines.length > 0 ? [""] : []), statement);
  }
  const [client, ...others] = clients;
  if (!client || others.length > 0) return null;
  const code = lines.join("\n");
  const imports = Object.entries(IMPORTS).filter(([name]) => code.includes(name));
  return [...imports.map(([, line]) => line), "", client, "", code].join("\n");
}

/** By what needs it. */
const IMPORTS: Record<string, string> = {
  "writeFile(": 'import { writeFile } from "node:fs/promises";',
  "tieout.": 'import { Tieout } from "@tieout/sdk";',
  "openFile(": 'import { openFile } from "@tieout/sdk/node";',
};

const nameOf = (file: string) => file.replace(/\.json$/, "");

function clientOf({ origin, headers }: CurlCall, scope: Scope): string {
  const tenant = headers.get("x-tenant-id") ?? ["acme"];
  return [
    "const tieout = new Tieout({",
    `  baseUrl: ${expressionOf(origin, scope)},`,
    `  tenant: ${expressionOf(tenant, scope)},`,
    `  key: ${expressionOf(bearerOf(headers) ?? [""], scope)},`,
    "});",
  ].join("\n");
}

/** One call, whose result is printed unless the example saves it. */
function statementOf(call: CurlCall, operation: Operation, scope: Scope): string | null {
  const { saved } = call;
  const isFile = operation.response.file !== undefined;
  const isList = !isFile && operation.parameters.some((parameter) => parameter.name === "cursor");
  const body = bodyOf(call);
  if (body === null) return null;
  const opened = body.file ? `const file = await openFile(${JSON.stringify(body.file)});\n` : "";
  const name = saved ? nameOf(saved.path) : "result";
  const declared = isFile ? "const rows = " : name === "/dev/null" ? "" : `const ${name} = `;
  const start = `${declared}${isFile ? "" : "await "}`;
  const end = isList ? ".page();" : ";";
  const code = codeOf(call, operation, scope, COLUMNS - start.length - end.length);
  if (code === null) return null;
  const use = isFile
    ? `\nawait writeFile("${saved?.path ?? "download"}", rows.bytes());`
    : saved
      ? ""
      : "\nconsole.log(result);";
  return `${opened}${start}${code}${end}${use}`;
}

function codeOf(call: CurlCall, operation: Operation, scope: Scope, room: number): string | null {
  const [path = "", search = ""] = markedText(call.target).split("?");
  const template = operation.contract.path.split("/");
  const ids = path.split("/").filter((_, index) => template[index]?.startsWith("{"));
  const query = queryOf(search, operation);
  const options = optionsOf(call);
  const body = bodyOf(call);
  if (body === null || options === null) return null;
  const write = (columns: number) =>
    callCode(operation, {
      path: ids.map((id) => expressionOf(unmarked(id), scope)),
      body: body.file ? "file" : literal(body.json, scope, columns),
      query: literal(query, scope, body.json === undefined ? columns : WIDE),
      options: literal(options, scope, WIDE),
    });
  const line = write(WIDE);
  return line.length <= room ? line : write(0);
}

/** Undefined without a body; null if it isn't JSON or a file. */
function bodyOf({ body }: CurlCall): { json?: unknown; file?: string } | null {
  const text = body && textOfWord(body);
  if (text === undefined) return {};
  if (text === null) return null;
  const file = withoutStart(text, "@");
  if (file) return { file: markedText(file) };
  try {
    return { json: JSON.parse(markedText(text)) };
  } catch {
    return null;
  }
}

/** Numbers, truth values and lists as the SDK takes them. */
function queryOf(search: string, { parameters }: Operation): Record<string, unknown> | undefined {
  const pairs = [...new URLSearchParams(search)].map(([name, text]): [string, unknown] => {
    const schema = parameters.find((parameter) => parameter.name === name)?.schema;
    const type = schema?.type;
    if (type === "array") return [name, text.split(",")];
    return [name, type === "integer" || type === "boolean" ? JSON.parse(text) : text];
  });
  return pairs.length > 0 ? Object.fromEntries(pairs) : undefined;
}

/** Null if a header has no option. */
function optionsOf({ headers }: CurlCall): Record<string, string> | undefined | null {
  const sent = [...headers].filter(
    ([name]) => !["authorization", "x-tenant-id", "content-type"].includes(name),
  );
  if (sent.some(([name]) => !OPTIONS[name])) return null;
  if (sent.length === 0) return undefined;
  return Object.fromEntries(sent.map(([name, text]) => [OPTIONS[name], markedText(text)]));
}

/** A value as TypeScript. Within `columns` it stands on one line, else its outermost braces break. */
function literal(value: unknown, scope: Scope, columns: number, indent = ""): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value === "string") return expressionOf(unmarked(value), scope);
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const deeper = `${indent}  `;
  const isArray = Array.isArray(value);
  const write = (room: number) =>
    Object.entries(value).map(([name, item]) => {
      const key = isArray ? "" : `${keyOf(name)}: `;
      return `${key}${literal(item, scope, room - key.length, deeper)}`;
    });
  const [open, close] = isArray ? ["[", "]"] : ["{ ", " }"];
  const line = `${open}${write(WIDE).join(", ")}${close}`;
  if (line.length <= columns) return line;
  const items = write(COLUMNS - deeper.length).map((item) => `${deeper}${item},\n`);
  return `${open.trim()}\n${items.join("")}${indent}${close.trim()}`;
}

const keyOf = (name: string) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));

function expressionOf(text: ShellText, scope: Scope): string {
  const [only, ...more] = text;
  if (text.every((part) => typeof part === "string")) return JSON.stringify(text.join(""));
  if (typeof only === "object" && more.length === 0)
    return scope.get(only.variable) ?? `process.env.${only.variable} ?? ""`;
  const parts = text.map((part) =>
    typeof part === "string"
      ? part.replaceAll(/[`\\]|\$\{/g, "\\$&")
      : `\${${scope.get(part.variable) ?? `process.env.${part.variable}`}}`,
  );
  return `\`${parts.join("")}\``;
}
