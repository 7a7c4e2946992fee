import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { CURRENCIES, decimalsOf } from "#lib/wire/currencies.ts";
import { methodName, resourceOf } from "#lib/wire/sdk-names.ts";
import {
  DOCUMENT,
  type Document,
  type Operation,
  type Parameter,
  readDocument,
} from "./api-document.ts";
import { OPEN_TYPES, withOpenEnums } from "./open-enums.ts";
import { withOpenObjects } from "./open-objects.ts";

const ROOT = join(import.meta.dirname, "../../..");
const HEADER = "// Written by `npm run generate` from openapi.json.\n";

type Method = { name: string; text: string };
/** An operation of the document, at its place. */
type Located = { path: string; verb: string; operation: Operation };

/**
 * Calls that start work, by the path that reads its state. Each has a second method there, which
 * waits for the end.
 */
const WAITS: Record<string, { readAt: string; summary: string }> = {
  createImport: {
    readAt: "/v1/imports/{id}",
    summary: "Import a file and wait until its lines are stored",
  },
  createRun: {
    readAt: "/v1/runs/{id}",
    summary: "Run the rules of a reconciliation and wait for the result",
  },
  closeReconciliation: {
    readAt: "/v1/reconciliations/{id}",
    summary: "Close a period and wait until it is closed",
  },
};

/**
 * The types of the SDK: the types that Redocly generates for schemas and for each operation's
 * query.
 */
export async function sdkTypes(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "tieout-sdk-"));
  try {
    const args = ["generate-client", DOCUMENT, "--output-mode", "split", "--runtime", "module"];
    await promisify(execFile)(
      process.execPath,
      [
        join(ROOT, "node_modules/@redocly/cli/bin/cli.js"),
        ...args,
        "--output",
        join(folder, "client.ts"),
      ],
      { env: { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" } },
    );
    const schemas = await readFile(join(folder, "client.schemas.ts"), "utf8");
    const client = await readFile(join(folder, "client.ts"), "utf8");
    const queries = client.match(/^export type \w+Query = \{\n[\s\S]*?^\};\n/gm) ?? [];
    const start = schemas.indexOf("export type");
    // The values of enums would be in every bundle; their types are enough.
    const types = schemas
      .slice(start)
      .replaceAll(/^export const \w+ = \{[\s\S]*?\} as const;\n\n?/gm, "");
    if (start < 0 || queries.length === 0 || /^export (?!type )/m.test(types))
      throw new Error("Redocly's client has another form than before.");
    const document = await readDocument();
    const opened = withOpenEnums(withOpenObjects(`${types.trimEnd()}\n`, document), document);
    return `${HEADER}\n${OPEN_TYPES}\n${opened}\n${queries.join("\n")}`;
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The SDK's resources with a method for each operation, the union of events and the currencies. */
export async function sdkOperations(): Promise<string> {
  const document = await readDocument();
  const resources = new Map<string, Method[]>();
  const add = (resource: string, method: Method) =>
    resources.set(resource, [...(resources.get(resource) ?? []), method]);
  for (const [path, methods] of Object.entries(document.paths))
    for (const [verb, operation] of Object.entries(methods)) {
      if (!operation.operationId) continue;
      const located = { path, verb, operation };
      add(resourceOf(path), methodOf(document, located));
      const wait = WAITS[operation.operationId];
      if (wait) add(resourceOf(wait.readAt), waitOf(document, located, wait));
    }
  const sorted = [...resources].sort(([a], [b]) => (a < b ? -1 : 1));
  const classes = sorted.map(([resource, methods]) => {
    const names = methods.map(({ name }) => name);
    const twice = names.find((name, at) => names.indexOf(name) !== at);
    if (twice) throw new Error(`${resource}.${twice} is the name of two operations.`);
    const members = methods.map(({ text }) => text).join("\n");
    const name = `export class ${classOf(resource)} extends Resource`;
    return `/** \`tieout.${resource}\` */\n${name} {\n${members}}\n`;
  });
  const events = Object.values(document.webhooks).map(
    ({ post }) => `  | T.${nameOf(post.requestBody.content["application/json"]?.schema)}`,
  );
  const decimals = CURRENCIES.filter((code) => decimalsOf(code) !== 2).map(
    (code) => `  ${code}: ${decimalsOf(code)},\n`,
  );
  return `${HEADER}
import { type Call, callOf, type List, listOf, Resource } from "../call.ts";
import { type Export, exportOf } from "../export.ts";
import { type CallOptions, type FileBody, segment } from "../request.ts";
import { type WaitOptions, waitFor } from "../waits.ts";
import type * as T from "./types.gen.ts";

/** An event, by \`type\`. */
export type TieoutEvent =
${events.join("\n")};

${classes.join("\n")}
/** All resources of the API. */
export abstract class Resources extends Resource {
${sorted.map(([one]) => `  readonly ${one} = new ${classOf(one)}(this.send);\n`).join("")}}

/** The decimals of currencies that don't have two. */
export const DECIMALS: Record<string, number> = {
${decimals.join("")}};
`;
}

/**
 * The request of a method, and the types of its arguments and its result. A body of the omitted
 * type is no argument.
 */
function partsOf(
  { components }: Document,
  { path, verb, operation }: Located,
  omittedBody?: string,
) {
  const { operationId, requestBody, responses } = operation;
  const parameters = (operation.parameters ?? []).map((parameter) =>
    parameter.$ref ? (components.parameters[nameOf(parameter)] as Parameter) : parameter,
  );
  const query = parameters.filter((parameter) => parameter.in === "query");
  const has = (name: string) => parameters.some((parameter) => parameter.name === name);
  const isInteger = (id?: string) =>
    parameters.some(({ name, schema }) => name === id && schema.type === "integer");
  const type = requestBody && nameOf(requestBody.content["application/json"]?.schema);
  const isFile = requestBody !== undefined && !type;
  const bodyType = type && type !== omittedBody ? type : "";
  const results = Object.entries(responses)
    .filter(([status]) => status < "300")
    .map(([, { content }]) => content ?? {});
  const target = targetOf(path, (id) => id);
  return {
    query,
    has,
    target,
    queryType: `T.${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}Query`,
    isExport: results.some(
      (content) => !content["application/json"] && Object.keys(content).length > 0,
    ),
    types: [...new Set(results.map(typeOf))],
    args: [
      ...[...path.matchAll(/\{(\w+)\}/g)].map(
        ([, id]) => `${id}: ${isInteger(id) ? "number" : "string"}`,
      ),
      ...(isFile ? ["file: FileBody"] : []),
    ],
    bodyType,
    isBodyRequired: requestBody?.required === true,
    request: [
      `method: "${verb.toUpperCase()}"`,
      `path: ${target}`,
      ...(isFile ? ["file"] : []),
      ...(bodyType ? ["body"] : []),
      ...(query.length > 0 ? ["query"] : []),
      ...(has("Idempotency-Key") ? ["keyed: true"] : []),
      "options",
    ].join(", "),
  };
}

function methodOf(document: Document, located: Located): Method {
  const { operationId, summary, description } = located.operation;
  const parts = partsOf(document, located);
  const { query, has, target, queryType, types, bodyType, isExport } = parts;
  const hasRows = isExport && has("end_mark");
  const isQueryRequired = query.some(
    ({ name, required }) => required && !(hasRows && name === "format"),
  );
  const queryArgument = hasRows
    ? `Omit<${queryType}, "format"> & Partial<Pick<${queryType}, "format">>`
    : queryType;
  const args = [
    ...parts.args,
    ...(bodyType ? [`body${parts.isBodyRequired ? "" : "?"}: T.${bodyType}`] : []),
    ...(query.length > 0 ? [`query${isQueryRequired ? "" : "?"}: ${queryArgument}`] : []),
    "options?: CallOptions",
  ];
  const marked = '{ ...query, format: query?.format ?? "ndjson", end_mark: true }';
  const sentQuery = hasRows ? marked : query.length > 0 ? "query" : "undefined";
  const rest = `this.send, ${target}, ${sentQuery}, options`;
  const [result, returned] = isExport
    ? ["Export", `exportOf(${rest})`]
    : has("cursor")
      ? [`List<${types[0]}>`, `listOf(${rest})`]
      : [`Call<${types.join(" | ")}>`, `callOf(this.send, { ${parts.request} })`];
  const name = methodName(resourceOf(located.path), operationId);
  const signature = `${name}(${args.join(", ")}): ${result}`;
  return { name, text: printed(docOf(summary, description), signature, returned) };
}

/** The method that also waits for the end of the work. A preview starts none. */
function waitOf(
  document: Document,
  located: Located,
  { readAt, summary }: { readAt: string; summary: string },
): Method {
  // A body that only repeats an option.
  const parts = partsOf(document, located, "IdempotentRequest");
  const read = document.paths[readAt]?.get;
  if (!read) throw new Error(`Nothing is read at ${readAt}.`);
  const [state] = partsOf(document, { path: readAt, verb: "get", operation: read }).types;
  const args = [
    ...parts.args,
    ...(parts.bodyType ? [`body?: T.${parts.bodyType}`] : []),
    ...(parts.query.length > 0 ? [`query?: Omit<${parts.queryType}, "preview">`] : []),
    `options?: WaitOptions<${state}>`,
  ];
  // A period is read by its own ID, and other work by the ID that the response gives it.
  const isKnown = located.path.startsWith(readAt);
  const place = targetOf(readAt, (id) => (isKnown ? id : `started.${id}`));
  const pathOf = isKnown ? `() => ${place}` : `(started) => ${place}`;
  const name = `${methodName(resourceOf(readAt), located.operation.operationId)}AndWait`;
  const signature = `async ${name}(${args.join(", ")}): Promise<${state}>`;
  const returned = `waitFor(this.send, { ${parts.request} }, ${pathOf})`;
  const doc = docOf(summary, "@throws TieoutError `failed`");
  return { name, text: printed(doc, signature, returned) };
}

function printed(doc: string, signature: string, returned: string): string {
  return `${doc}  ${signature} {\n    return ${returned};\n  }\n`;
}

/** A path as code, which reads its parameters from these places. */
function targetOf(path: string, placeOf: (id: string) => string): string {
  const filled = path.replaceAll(
    /\{(\w+)\}/g,
    (_, id: string) => `\${segment("${id}", ${placeOf(id)})}`,
  );
  return filled === path ? `"${path}"` : `\`${filled}\``;
}

function typeOf(content: Record<string, { schema: { $ref?: string } }>): string {
  const type = nameOf(content["application/json"]?.schema);
  return type ? `T.${type}` : "undefined";
}

function docOf(summary: string, description = ""): string {
  const [text = ""] = description.split("\n\nCallers: ");
  const lines = [`${summary}.`, ...(text ? ["", ...text.split("\n")] : [])]
    .map((line) => line.replaceAll("*/", "*\\/"))
    .map((line) => `   * ${line}`.trimEnd());
  return `  /**\n${lines.join("\n")}\n   */\n`;
}

function classOf(resource: string): string {
  return `${resource.charAt(0).toUpperCase()}${resource.slice(1)}Resource`;
}

export function nameOf(schema: { $ref?: string } | undefined): string {
  return schema?.$ref?.split("/").at(-1) ?? "";
}
