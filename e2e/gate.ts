/** What `npm test` asks, and what it leaves to `npm run proof`. */
import { readFileSync } from "node:fs";

/** Everything is proved; otherwise the gate's part. */
export const WHOLE = process.env.TIEOUT_TESTS !== "gate";

/** The files that only `npm run proof` runs, with why. */
export const NOT_IN_THE_GATE: Record<string, string> = JSON.parse(
  readFileSync(new URL("not-in-the-gate.json", import.meta.url), "utf8"),
);

/** What this run leaves out. */
export const LEFT_OUT: string[] = WHOLE ? [] : Object.keys(NOT_IN_THE_GATE);
