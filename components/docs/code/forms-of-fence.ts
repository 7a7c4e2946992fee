import type { Operation } from "../reference/reference.ts";
import { cliForm } from "./cli-form.ts";
import { type CurlCall, capturesOf, stepsOf } from "./curl-fence.ts";
import { sdkForm } from "./sdk-form.ts";
import { markedText } from "./shell-text.ts";

/** An example by curl, written for the command line and for the SDK. */
export type Forms = { cli: string; sdk: string };

/**
 * Writes the examples of one guide in the other forms; it takes them in order, because a later one
 * uses what an earlier one saved. Null for an example that only curl shows.
 */
export function formsWriter(operations: readonly Operation[]): (code: string) => Forms | null {
  const scope = new Map<string, string>();
  return (code) => {
    for (const { name, from } of capturesOf(code)) scope.set(name, from);
    const steps = stepsOf(code);
    const calls = steps?.filter((step) => step.kind === "call") ?? [];
    const found = new Map(calls.map((call) => [call, operationOf(call, operations)]));
    if (!steps || calls.length === 0 || [...found.values()].includes(undefined)) return null;
    const operation = (call: CurlCall) => found.get(call) as Operation;
    const cli = withCommands(code, calls, operation);
    const sdk = sdkForm(steps, operation, scope);
    return cli !== null && sdk !== null ? { cli, sdk } : null;
  };
}

/** The shell's text, with another command in the place of each curl. */
function withCommands(
  code: string,
  calls: CurlCall[],
  operationOf: (call: CurlCall) => Operation,
): string | null {
  let text = "";
  let at = 0;
  for (const call of calls) {
    const operation = operationOf(call);
    const command = cliForm(call, operation, code);
    if (command === null) return null;
    text += code.slice(at, call.pos) + command;
    // A file is saved by an option of the command.
    at = operation.response.file === undefined ? call.end : (call.saved?.end ?? call.end);
  }
  return text + code.slice(at);
}

/** The operation with the fewest parameters in its path: `/exceptions/sla` is no exception's ID. */
function operationOf(call: CurlCall, operations: readonly Operation[]): Operation | undefined {
  const path = markedText(call.target).replace(/\?.*$/, "");
  const count = ({ contract }: Operation) => contract.path.split("{").length;
  return operations
    .filter(
      ({ contract }) =>
        contract.method === call.method &&
        new RegExp(`^${contract.path.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(path),
    )
    .toSorted((left, right) => count(left) - count(right))[0];
}

/** Text of a guide with each curl example in tabs, where the others can make the same call. */
export function withForms(text: string, operations: readonly Operation[]): string {
  const write = formsWriter(operations);
  return text.replaceAll(/^```sh\n([\s\S]*?)^```$/gm, (fence: string, code: string) => {
    const forms = write(code);
    return forms === null
      ? fence
      : [
          `\`\`\`sh tab=curl\n${code}\`\`\``,
          `\`\`\`sh tab=CLI\n${forms.cli}\`\`\``,
          `\`\`\`ts tab=TypeScript\n${forms.sdk}\n\`\`\``,
        ].join("\n");
  });
}
