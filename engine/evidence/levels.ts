/**
 * The levels at which amounts and days are compared, and what is expected of true matches before
 * any is seen.
 */

/**
 * Upper ends of relative differences; each stands for two levels, right larger and right smaller.
 */
const SHARES = [
  0.0005, 0.001, 0.002, 0.004, 0.006, 0.008, 0.01, 0.0125, 0.015, 0.0175, 0.02, 0.0225, 0.025,
  0.0275, 0.03, 0.0325, 0.035, 0.04, 0.045, 0.05, 0.06, 0.07, 0.08, 0.1, 0.125, 0.15, 0.2, 0.3, 0.5,
  1,
];
export const EQUAL = 0;
/** Differences of one or two minor units, whatever the amount. */
const ROUNDING = 1;
const FIRST_SHARE = 3;
/**
 * Two neighbouring digits swapped, and one digit wrong: what guides to reconciliation check first
 * if an amount differs.
 */
export const SWAPPED = FIRST_SHARE + 2 * SHARES.length;
export const WRONG_DIGIT = SWAPPED + 1;
export const AMOUNT_LEVELS = WRONG_DIGIT + 1;

/** All ends are multiples of a quarter of a thousandth. */
const GRAIN = 4000;
const SHARE_LEVEL = Uint8Array.from({ length: GRAIN + 1 }, (_, grain) =>
  SHARES.findIndex((end) => Math.round(end * GRAIN) >= grain),
);

export function amountLevel(left: number, right: number): number {
  if (left === right) return EQUAL;
  const a = Math.abs(left);
  const b = Math.abs(right);
  const larger = b > a ? 1 : 0;
  const difference = larger ? b - a : a - b;
  if (difference <= 2) return ROUNDING + larger;
  const slip = slipOf(a, b, difference);
  if (slip !== NO_SLIP) return slip;
  const share = SHARE_LEVEL[
    Math.min(GRAIN, Math.ceil((difference / (larger ? b : a)) * GRAIN))
  ] as number;
  return FIRST_SHARE + 2 * share + larger;
}

const NO_SLIP = -1;

/** How two different amounts are one typing slip apart, if they are. */
function slipOf(a: number, b: number, difference: number): number {
  let steps = difference;
  let unit = 1;
  while (steps % 10 === 0) {
    steps /= 10;
    unit *= 10;
  }
  if (steps > 81 || a < unit || b < unit) return NO_SLIP;
  if (Math.floor(a / (10 * unit)) === Math.floor(b / (10 * unit))) return WRONG_DIGIT;
  if (steps % 9 !== 0 || Math.floor(a / (100 * unit)) !== Math.floor(b / (100 * unit)))
    return NO_SLIP;
  const [one, other] = [Math.floor(a / unit) % 100, Math.floor(b / unit) % 100];
  return one % 10 === Math.floor(other / 10) && other % 10 === Math.floor(one / 10)
    ? SWAPPED
    : NO_SLIP;
}

const POWERS = [10, 100, 1000];

/** `moved`: one amount is ten, a hundred or a thousand times the other. */
export type AmountSlip = "swapped" | "digit" | "moved";

/** The slip of typing that two different amounts of one sign are apart; null if there is none. */
export function slipBetween(left: number, right: number): AmountSlip | null {
  if (left === right || left === 0 || right === 0 || left > 0 !== right > 0) return null;
  if (POWERS.some((times) => left === times * right || right === times * left)) return "moved";
  const level = amountLevel(left, right);
  return level === SWAPPED ? "swapped" : level === WRONG_DIGIT ? "digit" : null;
}

export function isSlip(level: number): boolean {
  return level >= SWAPPED;
}

/** ln of how many amounts are such a slip away from one. */
export function slipNats(level: number, amount: number): number {
  const digits = Math.floor(Math.log10(Math.max(1, Math.abs(amount)))) + 1;
  return Math.log(level === SWAPPED ? Math.max(1, digits - 1) : 9 * digits);
}

const SHARE_NATS = SHARES.map((end, index) =>
  Math.log(Math.log((1 - (SHARES[index - 1] ?? 0)) / (1 - Math.min(0.98, end)))),
);

/** ln of how wide a level is, in nats of the amount; of rounding it depends on the amount. */
export function amountWidthNats(level: number, amount: number): number {
  if (level < FIRST_SHARE) return Math.log(2 / Math.max(2, Math.abs(amount)));
  return SHARE_NATS[(level - FIRST_SHARE) >> 1] as number;
}

export function amountPrior(): Float64Array {
  const prior = new Float64Array(AMOUNT_LEVELS);
  prior[EQUAL] = 0.8;
  prior[ROUNDING] = 0.015;
  prior[ROUNDING + 1] = 0.015;
  prior[SWAPPED] = 0.004;
  prior[WRONG_DIGIT] = 0.004;
  for (let level = FIRST_SHARE; level < SWAPPED; level++) {
    const share = (level - FIRST_SHARE) >> 1;
    // Small differences are fees and rates of exchange; beyond a tenth there is little to expect.
    prior[level] =
      (SHARES[share] as number) <= 0.05
        ? 0.0035
        : (SHARES[share] as number) <= 0.15
          ? 0.001
          : 0.0004;
  }
  return normalized(prior);
}

const DAYS_APART = 31;
/** Lags in days: one level each up to 31, then by the month. */
export const DAY_LEVELS = 2 * (DAYS_APART + 12) + 1;

export function dayLevel(lag: number): number {
  const size = Math.abs(lag);
  const step =
    size <= DAYS_APART
      ? size
      : Math.min(DAYS_APART + 12, DAYS_APART + 1 + Math.floor((size - DAYS_APART - 1) / 30));
  return DAYS_APART + 12 + Math.sign(lag) * step;
}

/** The lag that a level begins with, to spread a level's share over its days. */
export function daysInLevel(level: number): number {
  return Math.abs(level - DAYS_APART - 12) <= DAYS_APART ? 1 : 30;
}

/** The share of matches that is assumed to lie beyond a rule's window before any is seen. */
const BEYOND = 0.01;

/** @param far as far as a match may lie beyond the window. */
export function dayPrior(before: number, after: number, far = { before, after }): Float64Array {
  const prior = new Float64Array(DAY_LEVELS);
  for (let lag = -before; lag <= after; lag++) {
    const level = dayLevel(lag);
    prior[level] =
      (prior[level] as number) + Math.exp(-Math.abs(lag) / 2.5) * (lag < 0 ? 0.5 : 1) + 0.01;
  }
  const usual = normalized(prior);
  const beyond = far.before - before + far.after - after;
  for (let lag = -far.before; lag <= far.after; lag++) {
    const level = dayLevel(lag);
    if (lag < -before || lag > after) usual[level] = (usual[level] as number) + BEYOND / beyond;
  }
  return normalized(usual);
}

export function normalized(values: Float64Array): Float64Array {
  let total = 0;
  for (const value of values) total += value;
  return values.map((value) => value / total);
}
