import type { Side } from "../side.ts";

/**
 * A line of the other side, the number that both have, and whether the other side has it in a text.
 * `isPerhaps`: only if the last digit of one of them is a check digit, as of many numbers by chance.
 */
export type Named = { line: number; name: string; isSaidByOther: boolean; isPerhaps: boolean };

/** Which lines of the other side share a number with a line. */
export type LinesByNumber = { of(side: Side, line: number): readonly Named[] };
