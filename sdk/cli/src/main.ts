#!/usr/bin/env node
import { failureOf } from "./failure.ts";
import { interruptionNote } from "./output.ts";
import { createProgram } from "./program.ts";

process.once("SIGINT", () => {
  const note = interruptionNote();
  if (note) console.error(note);
  process.exit(130);
});
process.once("SIGTERM", () => process.exit(143));
// A reader such as `head` closes the pipe when it has read enough.
process.stdout.on("error", ({ code }: NodeJS.ErrnoException) => {
  process.exit(code === "EPIPE" ? 0 : 1);
});
process.stderr.on("error", () => {});

const program = createProgram();
// Read from the arguments, because it may follow an option that commander can't parse.
const isJson = process.argv.includes("--json");
try {
  await program.parseAsync();
} catch (error) {
  const { exitCode, message, details } = failureOf(error);
  if (isJson && details) console.error(JSON.stringify(details));
  else if (message) console.error(`Error: ${message}`);
  process.exitCode = exitCode;
}
