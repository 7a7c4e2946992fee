import pino from "pino";
import { processWide } from "./process-wide.ts";

const also = () =>
  processWide("log", (): { to: ((line: string) => void) | null } => ({ to: null }));

/** One JSON line per event on stdout; the supervisor adds the part's name. Never log headers, bodies or credentials. */
export const log = pino({
  base: null,
  timestamp: pino.stdTimeFunctions.isoTime,
  formatters: { level: (level) => ({ level }) },
  hooks: {
    streamWrite(line) {
      also().to?.(line);
      return line;
    },
  },
});

/** Hands each line to somebody else as well. */
export function alsoLogTo(to: (line: string) => void): void {
  also().to = to;
}
