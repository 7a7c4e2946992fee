import { once } from "node:events";
import { inspect } from "node:util";
import { maskSecrets } from "../lib/runtime/mask-secrets.ts";

export type Entry = {
  time: string;
  level: string;
  part: string;
  msg: string;
  [field: string]: unknown;
};

const COLORS: Record<string, string> = {
  warn: "\x1b[33m",
  error: "\x1b[31m",
  fatal: "\x1b[31m",
  debug: "\x1b[2m",
};

/**
 * Turns a line of any process, which is our loggers' JSON or plain text, into a log entry. Secrets
 * are masked, because lines by Node, Next and Postgres didn't pass through our logger.
 */
export function entryOf(part: string, text: string, level = "info"): Entry {
  const line = maskSecrets(text);
  const plain = { time: new Date().toISOString(), level, part, msg: line };
  if (!line.startsWith("{")) return plain;
  try {
    return { ...plain, msg: "", ...JSON.parse(line), part };
  } catch {
    return plain;
  }
}

let isLogged: (level: string) => boolean = () => true;

/** Logs only warnings and errors, for tools that start a database briefly. */
export function logProblemsOnly(): void {
  isLogged = (level) => ["warn", "error", "fatal"].includes(level);
}

/**
 * In a terminal, `npm start` shows the steps of a start, so that only problems are logged until
 * `reportStep("ready")`.
 */
export function logFromReady(): void {
  if (process.stdout.isTTY && process.send) logProblemsOnly();
}

/** Reports to `npm start` that a step of the start is done, and waits until it is on the screen. */
export async function reportStep(step: "database" | "ready"): Promise<void> {
  if (!process.stdout.isTTY || !process.send) return;
  const shown = once(process, "message");
  process.send({ step });
  await shown;
  if (step === "ready") isLogged = () => true;
}

export function write(entry: Entry): void {
  if (!isLogged(entry.level)) return;
  process.stdout.write(`${process.stdout.isTTY ? readable(entry) : JSON.stringify(entry)}\n`);
}

export function log(level: string, msg: string, fields: Record<string, unknown> = {}): void {
  write({ time: new Date().toISOString(), level, part: "supervisor", msg, ...fields });
}

function readable({ time, level, part, msg, ...fields }: Entry): string {
  const rest = Object.entries(fields)
    .map(
      ([name, value]) =>
        ` \x1b[2m${name}=\x1b[22m${typeof value === "string" ? value : inspect(value, { breakLength: Infinity })}`,
    )
    .join("");
  return `\x1b[2m${time.slice(11, 19)}\x1b[22m ${COLORS[level] ?? ""}${part.padEnd(10)} ${msg}\x1b[0m${rest}`;
}
