#!/usr/bin/env node
import { failureOf } from "./failure.ts";
import { createProgram } from "./program.ts";

process.once("SIGINT", () => process.exit(130));
// A reader such as `head` closes the pipe when it has read enough.
process.stdout.on("error", ({ code }: NodeJS.ErrnoException) => {
  process.exit(code === "EPIPE" ? 0 : 1);
});

const program = createProgram();
try {
  await program.parseAsync();
} catch (error) {
  const { exitCode, message, details } = failureOf(error);
  if (message) console.error(program.opts().json ? JSON.stringify(details) : `Error: ${message}`);
  process.exitCode = exitCode;
}
