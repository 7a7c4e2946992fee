import { exportNamed } from "../../../sdk/cli/src/commands/exported.ts";
import { type ExampleInput, inputOf, shellQuoted, shellWord, targetOf } from "./example-input.ts";
import type { Operation } from "./reference.ts";

/** Operations with a special command. */
const COMMANDS: Record<string, (input: ExampleInput) => string> = {
  getMe: () => "tieout whoami",
  createRun: ({ path }) => `tieout run ${path[0]?.value}`,
  closeReconciliation: ({ path }) => `tieout close ${path[0]?.value}`,
  resetSandbox: () => "tieout sandbox reset --sample",
  rotateApiKey: ({ path, body }) =>
    `tieout keys rotate ${path[1]?.value} --grace-period ${body?.json?.grace_period_seconds}`,
  createTestEvent: ({ body }) => `tieout trigger ${body?.json?.type}`,
  createImport: ({ path, body }) =>
    `${fileOf("statement.csv", body)}tieout import statement.csv --source ${path[0]?.value}`,
};

/** The same call on the command line, with the address, tenant and credential of its profile. */
export function cliExample(operation: Operation): string {
  const { contract, response, parameters } = operation;
  const input = inputOf(operation);
  const command = COMMANDS[contract.operationId];
  if (command) return command(input);
  const exported = exportNamed(contract.operationId);
  if (exported) return exportCommand(exported, input);
  const { json, upload } = input.body ?? {};
  const type = operation.body?.mediaTypes[0] ?? "";
  const file = type.includes("ndjson") ? "upload.ndjson" : "upload.csv";
  const isList = parameters.some(({ name }) => name === "cursor");
  const options = [
    ...(json ? [`--data ${shellQuoted(JSON.stringify(json, null, 2))}`] : []),
    ...(upload ? [`--data @${file} --type ${type}`] : []),
    ...(isList ? ["--paginate"] : []),
    ...(response.file === undefined ? [] : ["--output download"]),
  ];
  const call = `tieout api ${contract.method} ${shellWord(targetOf(operation, input))}`;
  return `${upload ? fileOf(file, input.body) : ""}${[call, ...options].join(" ")}`;
}

function exportCommand(what: string, { path, query }: ExampleInput): string {
  const options = query.map(({ name, value }) =>
    name === "format" ? `--format ${value}` : `--query ${name}=${value}`,
  );
  const ids = path.map(({ value }) => String(value));
  return ["tieout export", what, ...ids, ...options, `--output ${what}.csv`].join(" ");
}

/** Writes the file that the command sends. */
function fileOf(name: string, body: ExampleInput["body"]): string {
  const text = body?.upload ?? "";
  return `cat > ${name} <<'END'\n${text.endsWith("\n") ? text : `${text}\n`}END\n\n`;
}
