import { methodName, pythonArgument, pythonName, resourceOf } from "#lib/wire/sdk-names.ts";
import { type ExampleInput, inputOf } from "./example-input.ts";
import type { Operation } from "./reference.ts";

/** The call by the synchronous client of the Python SDK, as a whole program. */
export function pythonExample(operation: Operation, origin: string): string {
  const call = callOf(operation, inputOf(operation));
  const use = operation.response.file === undefined ? withData : withFile;
  return [
    "import os",
    "from tieout import Tieout",
    "",
    "tieout = Tieout(",
    `    base_url="${origin}",`,
    '    tenant="acme",',
    '    key=os.environ["TIEOUT_TOKEN"],',
    ")",
    "",
    ...use(operation, call),
  ].join("\n");
}

/** Lines that print the data of a response, or each item of a list. */
function withData(operation: Operation, call: string): string[] {
  return hasParameter(operation, "cursor")
    ? [`for item in ${call}:`, "    print(item)"]
    : [`print(${call})`];
}

/** Lines that print the rows of an export, or save another file. */
function withFile(operation: Operation, call: string): string[] {
  return hasParameter(operation, "end_mark")
    ? [`for row in ${call}:`, "    print(row)"]
    : [
        'with open("download", "wb") as file:',
        `    for chunk in ${call}.bytes():`,
        "        file.write(chunk)",
      ];
}

function hasParameter({ parameters }: Operation, name: string): boolean {
  return parameters.some((parameter) => parameter.name === name);
}

function callOf(operation: Operation, input: ExampleInput): string {
  const { contract, body } = operation;
  const resource = resourceOf(contract.path);
  const hasMark = hasParameter(operation, "end_mark");
  // The client chooses a format whose rows it can read.
  const query = input.query.filter(({ name }) => !(hasMark && name === "format"));
  const isTyped = contract.upload && !contract.upload.includes("application/octet-stream");
  const named = [
    ...query,
    ...(isTyped ? [{ name: "content_type", value: body?.mediaTypes[0] ?? "" }] : []),
  ];
  const args = [
    ...input.path.map(({ value }) => JSON.stringify(value)),
    ...sentOf(input.body),
    ...named.map(({ name, value }) => `${pythonArgument(name)}=${JSON.stringify(value)}`),
  ];
  const method = pythonName(methodName(resource, contract.operationId));
  return `tieout.${pythonName(resource)}.${method}(${args.join(", ")})`;
}

/** A text would be the path of a file. */
function sentOf(body: ExampleInput["body"]): string[] {
  if (body?.upload !== undefined) return [`${JSON.stringify(body.upload)}.encode()`];
  return body?.json === undefined ? [] : [literal(body.json)];
}

const CONSTANTS: Record<string, string> = { true: "True", false: "False", null: "None" };

/** JSON as Python writes it. */
function literal(value: unknown): string {
  const token = /"(?:[^"\\]|\\.)*"|\b(?:true|false|null)\b/g;
  return JSON.stringify(value, null, 4).replaceAll(token, (text) => CONSTANTS[text] ?? text);
}
