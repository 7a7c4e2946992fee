/**
 * The levels at which amounts and days are compared, and the distribution of true matches over them
 * that is assumed before any are observed.
 */

/**
 * The upper bounds of relative differences. Each has two levels: right amount smaller, and right
 * amount larger.
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
 * Two neighboring digits are swapped, or one digit is wrong. Guides to reconciliation recommend
 * checking these first if an amount differs.
 */
export const SWAPPED = FIRST_SHARE + 2 * SHARES.length;
export const WRONG_DIGIT = SWAPPED + 1;
export const AMOUNT_LEVELS = WRONG_DIGIT + 1;

/** All bounds in SHARES are multiples of 1 / GRAIN, a quarter of a thousandth. */
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

/** The level of the typing slip by which two amounts differ; NO_SLIP if there is none. */
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

/** The factors by which an amount changes if its decimal point is moved. */
const POWERS = [10, 100, 1000];

/** `moved`: the decimal point is moved by one, two or three places. */
export type AmountSlip = "swapped" | "digit" | "moved";

/** The typing slip by which two amounts of one sign differ; null if there is none. */
export function slipBetween(left: number, right: number): AmountSlip | null {
  if (left === right || left === 0 || right === 0 || left > 0 !== right > 0) return null;
  if (POWERS.some((times) => left === times * right || right === times * left)) return "moved";
  const level = amountLevel(left, right);
  return level === SWAPPED ? "swapped" : level === WRONG_DIGIT ? "digit" : null;
}

export function isSlip(level: number): boolean {
  return level >= SWAPPED;
}

/** ln of the number of amounts that are such a slip away from this amount. */
export function slipNats(level: number, amount: number): number {
  const digits = Math.floor(Math.log10(Math.max(1, Math.abs(amount)))) + 1;
  return Math.log(level === SWAPPED ? Math.max(1, digits - 1) : 9 * digits);
}

const SHARE_NATS = SHARES.map((end, index) =>
  Math.log(Math.log((1 - (SHARES[index - 1] ?? 0)) / (1 - Math.min(0.98, end)))),
);

/** ln of the width of a level in nats of the amount. For rounding it depends on the amount. */
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
    // Small differences are fees and exchange rates; beyond a tenth, few matches are expected.
    prior[level] =
      (SHARES[share] as number) <= 0.05
        ? 0.0035
        : (SHARES[share] as number) <= 0.15
          ? 0.001
          : 0.0004;
  }
  return normalized(prior);
}

const MAX_SINGLE_DAYS = 31;
/** Levels of lags in days, on either side: one for each day up to 31, then 12 of 30 days. */
export const DAY_LEVELS = 2 * (MAX_SINGLE_DAYS + 12) + 1;

export function dayLevel(lag: number): number {
  const size = Math.abs(lag);
  const step =
    size <= MAX_SINGLE_DAYS
      ? size
      : Math.min(
          MAX_SINGLE_DAYS + 12,
          MAX_SINGLE_DAYS + 1 + Math.floor((size - MAX_SINGLE_DAYS - 1) / 30),
        );
  return MAX_SINGLE_DAYS + 12 + Math.sign(lag) * step;
}

/** The number of days in a level, over which its share is spread. */
export function daysInLevel(level: number): number {
  return Math.abs(level - MAX_SINGLE_DAYS - 12) <= MAX_SINGLE_DAYS ? 1 : 30;
}

/** The share of matches that is assumed to lie beyond a rule's window. */
const BEYOND_WINDOW_SHARE = 0.01;

/** @param farthest the window to which the rule's window may be extended. */
export function dayPrior(
  before: number,
  after: number,
  farthest = { before, after },
): Float64Array {
  const prior = new Float64Array(DAY_LEVELS);
  for (let lag = -before; lag <= after; lag++) {
    const level = dayLevel(lag);
    prior[level] =
      (prior[level] as number) + Math.exp(-Math.abs(lag) / 2.5) * (lag < 0 ? 0.5 : 1) + 0.01;
  }
  const withinWindow = normalized(prior);
  const daysBeyond = farthest.before - before + farthest.after - after;
  for (let lag = -farthest.before; lag <= farthest.after; lag++) {
    const level = dayLevel(lag);
    if (lag < -before || lag > after)
      withinWindow[level] = (withinWindow[level] as number) + BEYOND_WINDOW_SHARE / daysBeyond;
  }
  return normalized(withinWindow);
}

export function normalized(values: Float64Array): Float64Array {
  let total = 0;
  for (const value of values) total += value;
  return values.map((value) => value / total);
}
