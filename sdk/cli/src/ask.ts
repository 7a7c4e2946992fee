import { isCancel } from "@clack/prompts";

/** Whether a person can answer. */
export function isInteractive({ json }: { json?: boolean }): boolean {
  return !json && process.stdin.isTTY === true && process.stdout.isTTY === true;
}

/** The answer to a prompt; Ctrl-C ends the process. */
export async function answerOf<Value>(prompt: Promise<Value>): Promise<Exclude<Value, symbol>> {
  const value = await prompt;
  if (isCancel(value)) process.exit(130);
  return value as Exclude<Value, symbol>;
}
