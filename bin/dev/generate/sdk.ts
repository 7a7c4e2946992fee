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

/** The SDK's resources with a method for each operation, the union of events, and the currencies. */
export async function sdkOperations(): Promise<string> {
  const document = await readDocument();
  const resources = new Map<string, Method[]>();
  for (const [path, methods] of Object.entries(document.paths))
    for (const [verb, operation] of Object.entries(methods)) {
      if (!operation.operationId) continue;
      const resource = resourceOf(path);
      const method = methodOf(document, resource, path, verb, operation);
      resources.set(resource, [...(resources.get(resource) ?? []), method]);
    }
  const sorted = [...resources].sort(([a], [b]) => (a < b ? -1 : 1));
  const classes = sorted.map(([resource, methods]) => {
    const names = methods.map(({ name }) => name);
    const twice = names.find((name, at) => names.indexOf(name) !== at);
    if (twice) throw new Error(`${resource}.${twice} is the name of two operations.`);
    const members = methods.map(({ text }) => text).join("\n");
    return `/** \`tieout.${resource}\` */\nexport class ${classOf(resource)} extends Resource {\n${members}}\n`;
  });
  const events = Object.values(document.webhooks).map(
    ({ post }) => `  | T.${nameOf(post.requestBody.content["application/json"]?.schema)}`,
  );
  const decimals = CURRENCIES.filter((code) => decimalsOf(code) !== 2).map(
    (code) => `  ${code}: ${decimalsOf(code)},\n`,
  );
  return `${HEADER}
import { type Call, callOf, type List, listOf, Resource } from "../call.ts";
import { type Export, exportOf, rowsIn } from "../export.ts";
import { type CallOptions, type FileBody, segment } from "../request.ts";
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

function methodOf(
  document: Document,
  resource: string,
  path: string,
  verb: string,
  operation: Operation,
): Method {
  const { operationId, requestBody, summary, description } = operation;
  const name = methodName(resource, operationId);
  const parameters = (operation.parameters ?? []).map((parameter) =>
    parameter.$ref ? (document.components.parameters[nameOf(parameter)] as Parameter) : parameter,
  );
  const query = parameters.filter((parameter) => parameter.in === "query");
  const isInteger = (id?: string) =>
    parameters.some(({ name: item, schema }) => item === id && schema.type === "integer");
  const bodyType = requestBody && nameOf(requestBody.content["application/json"]?.schema);
  const isFile = requestBody !== undefined && !bodyType;
  const results = Object.entries(operation.responses)
    .filter(([status]) => status < "300")
    .map(([, { content }]) => content ?? {});
  const isExport = results.some(
    (content) => !content["application/json"] && Object.keys(content).length > 0,
  );
  const types = [
    ...new Set(
      results.map((content) => {
        const type = nameOf(content["application/json"]?.schema);
        return type ? `T.${type}` : "undefined";
      }),
    ),
  ];
  const isList = query.some((parameter) => parameter.name === "cursor");
  const queryType = `T.${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}Query`;
  const hasRows = isExport && query.some((parameter) => parameter.name === "end_mark");
  const isQueryRequired = query.some(
    ({ name: one, required }) => required && !(hasRows && one === "format"),
  );
  const queryArgument = hasRows
    ? `Omit<${queryType}, "format"> & Partial<Pick<${queryType}, "format">>`
    : queryType;
  const args = [
    ...[...path.matchAll(/\{(\w+)\}/g)].map(
      ([, id]) => `${id}: ${isInteger(id) ? "number" : "string"}`,
    ),
    ...(isFile ? ["file: FileBody"] : []),
    ...(bodyType ? [`body${requestBody?.required ? "" : "?"}: T.${bodyType}`] : []),
    ...(query.length > 0 ? [`query${isQueryRequired ? "" : "?"}: ${queryArgument}`] : []),
    "options?: CallOptions",
  ];
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, item) => `\${segment("${item}", ${item})}`);
  const target = filled === path ? `"${path}"` : `\`${filled}\``;
  const rest = `this.send, ${target}, ${hasRows ? "rowsIn(query)" : query.length > 0 ? "query" : "undefined"}, options`;
  const request = [
    `method: "${verb.toUpperCase()}"`,
    `path: ${target}`,
    isFile && "file",
    bodyType && "body",
    query.length > 0 && "query",
    parameters.some((parameter) => parameter.name === "Idempotency-Key") && "keyed: true",
    "options",
  ];
  const call = `callOf(this.send, { ${request.filter(Boolean).join(", ")} })`;
  const [result, made] = isExport
    ? ["Export", `exportOf(${rest})`]
    : isList
      ? [`List<${types[0]}>`, `listOf(${rest})`]
      : [`Call<${types.join(" | ")}>`, call];
  const doc = docOf(summary, description);
  const signature = `${name}(${args.join(", ")}): ${result}`;
  return { name, text: `${doc}  ${signature} {\n    return ${made};\n  }\n` };
}

function docOf(summary: string, description = ""): string {
  const [text = ""] = description.split("\n\nCallers: ");
  const lines = [`${summary}.`, ...(text ? ["", ...text.split("\n")] : [])];
  return `  /**\n${lines.map((line) => `   * ${line.replaceAll("*/", "*\\/")}`.trimEnd()).join("\n")}\n   */\n`;
}

function classOf(resource: string): string {
  return `${resource.charAt(0).toUpperCase()}${resource.slice(1)}Resource`;
}

export function nameOf(schema: { $ref?: string } | undefined): string {
  return schema?.$ref?.split("/").at(-1) ?? "";
}
