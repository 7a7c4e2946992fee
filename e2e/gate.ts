/** What `npm test` runs, and what only `npm run proof` runs. */
import { readFileSync } from "node:fs";

/** Whether everything runs, or only the gate's part. */
export const WHOLE = process.env.TIEOUT_TESTS !== "gate";

/** The files that only `npm run proof` runs, with the reason. */
export const NOT_IN_THE_GATE: Record<string, string> = JSON.parse(
  readFileSync(new URL("not-in-the-gate.json", import.meta.url), "utf8"),
);

/** The files that this run leaves out. */
export const LEFT_OUT: string[] = WHOLE ? [] : Object.keys(NOT_IN_THE_GATE);
