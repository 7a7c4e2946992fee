import pino from "pino";
import { maskSecrets } from "./mask-secrets.ts";
import { singleton } from "./singleton.ts";

const also = () => singleton("log", (): { to: ((line: string) => void) | null } => ({ to: null }));

/** One JSON line per event on stdout; the supervisor adds the part's name. Never log headers or bodies; secrets are masked. */
export const log = pino({
  base: null,
  timestamp: pino.stdTimeFunctions.isoTime,
  formatters: { level: (level) => ({ level }) },
  hooks: {
    streamWrite(line) {
      const masked = maskSecrets(line);
      also().to?.(masked);
      return masked;
    },
  },
});

/** Hands each line to somebody else as well. */
export function alsoLogTo(to: (line: string) => void): void {
  also().to = to;
}
