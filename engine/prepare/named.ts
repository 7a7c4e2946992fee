import type { Side } from "../side.ts";

/**
 * A line of the other side that shares a number with a line, the number, and whether the other line
 * has it in a text. `isUncertain`: the numbers are the same only if the last digit of one of them
 * is a check digit, which many numbers end in by chance.
 */
export type Named = { line: number; name: string; isInOtherText: boolean; isUncertain: boolean };

/** Returns the lines of the other side that share a number with a line. */
export type LinesByNumber = { of(side: Side, line: number): readonly Named[] };
