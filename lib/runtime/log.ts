import pino from "pino";
import { maskSecrets } from "./mask-secrets.ts";
import { singleton } from "./singleton.ts";

const sink = () => singleton("log", (): { to: ((line: string) => void) | null } => ({ to: null }));

/**
 * Writes one JSON line per event to stdout; the supervisor adds the process's name. Never log
 * headers or bodies. Secrets are masked.
 */
export const log = pino({
  base: null,
  timestamp: pino.stdTimeFunctions.isoTime,
  formatters: { level: (level) => ({ level }) },
  hooks: {
    streamWrite(line) {
      const masked = maskSecrets(line);
      sink().to?.(masked);
      return masked;
    },
  },
});

/** Passes each masked line to `to` as well as to stdout. */
export function addLogSink(to: (line: string) => void): void {
  sink().to = to;
}
