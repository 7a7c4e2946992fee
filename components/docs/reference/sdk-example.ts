import { methodName, resourceOf } from "#lib/wire/sdk-names.ts";
import { type ExampleInput, inputOf } from "./example-input.ts";
import type { Operation } from "./reference.ts";

/** The call by the SDK, as a whole module. */
export function sdkExample(operation: Operation, origin: string): string {
  const { response, parameters } = operation;
  const has = (name: string) => parameters.some((parameter) => parameter.name === name);
  const call = callOf(operation, inputOf(operation));
  const isFile = response.file !== undefined;
  const isWholeFile = isFile && !has("end_mark");
  const use = isWholeFile
    ? [`await writeFile("download", ${call}.bytes());`]
    : isFile
      ? [`const rows = ${call};`, "for await (const row of rows) console.log(row);"]
      : has("cursor")
        ? [`const items = ${call};`, "for await (const item of items) console.log(item);"]
        : [`const result = await ${call};`, "console.log(result);"];
  return [
    ...(isWholeFile ? ['import { writeFile } from "node:fs/promises";'] : []),
    'import { Tieout } from "@tieout/sdk";',
    "",
    "const tieout = new Tieout({",
    `  baseUrl: "${origin}",`,
    '  tenant: "acme",',
    '  key: process.env.TIEOUT_TOKEN ?? "",',
    "});",
    "",
    ...use,
  ].join("\n");
}

function callOf(operation: Operation, input: ExampleInput): string {
  const { contract, parameters, body } = operation;
  const hasMark = parameters.some(({ name }) => name === "end_mark");
  // The client chooses a format whose rows it can read.
  const query = input.query.filter(({ name }) => !(hasMark && name === "format"));
  const type = body?.mediaTypes[0];
  const isTyped = contract.upload && !contract.upload.includes("application/octet-stream");
  return callCode(operation, {
    path: input.path.map(({ value }) => JSON.stringify(value)),
    body: sentOf(input.body),
    query: objectOf(query),
    options: isTyped ? objectOf([{ name: "contentType", value: type ?? "" }]) : undefined,
  });
}

/** The arguments of a method, each as TypeScript; undefined where the call leaves one out. */
export type ArgumentCode = {
  path: string[];
  body?: string | undefined;
  query?: string | undefined;
  options?: string | undefined;
};

export function callCode(
  { contract, parameters, body }: Operation,
  { path, ...given }: ArgumentCode,
): string {
  const resource = resourceOf(contract.path);
  const hasQuery = parameters.some((parameter) => parameter.in === "query");
  const slots = [
    ...path,
    ...(body ? [given.body] : []),
    ...(hasQuery ? [given.query] : []),
    given.options,
  ];
  const last = slots.findLastIndex((slot) => slot !== undefined);
  const args = slots.slice(0, last + 1).map((slot) => slot ?? "undefined");
  return `tieout.${resource}.${methodName(resource, contract.operationId)}(${args.join(", ")})`;
}

function sentOf(body: ExampleInput["body"]): string | undefined {
  return body?.upload === undefined ? code(body?.json) : JSON.stringify(body.upload);
}

function objectOf(pairs: ExampleInput["query"]): string | undefined {
  if (pairs.length === 0) return undefined;
  return `{ ${pairs.map(({ name, value }) => `${name}: ${JSON.stringify(value)}`).join(", ")} }`;
}

/** JSON with unquoted names. */
function code(value: unknown): string | undefined {
  return JSON.stringify(value, null, 2)?.replaceAll(/"([A-Za-z_$][\w$]*)":/g, "$1:");
}
