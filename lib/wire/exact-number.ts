/** 15 decimal digits always survive a round trip through a double (DBL_DIG). */
const EXACT_DIGITS = 15;
/** The smallest double, written without an exponent, is shorter. */
const MAX_EXACT_LENGTH = 400;

/**
 * Whether a JSON number, given by its digits, survives a double unchanged: integers up to ±(2⁵³ −
 * 1), and decimals whose shortest form is the one written. 1.10 is 1.1; 0.1000000000000000055 is
 * not 0.1.
 */
export function isExact(digits: string): boolean {
  if (digits.length <= EXACT_DIGITS && !/e/i.test(digits)) return true;
  if (digits.length > MAX_EXACT_LENGTH) return false;
  const value = Number(digits);
  if (Number.isNaN(value)) return true; // Not a number: JSON.parse reports it.
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) return false;
  const shortest = String(value);
  return shortest === digits || normalForm(shortest) === normalForm(digits);
}

/** The sign, the digits without leading or trailing zeros, and the power of ten. */
function normalForm(number: string): string {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    /^(-?)(\d*)\.?(\d*)(?:e([+-]?\d+))?$/i.exec(number) ?? [];
  const all = (whole + fraction).replace(/^0+/, "");
  const significant = all.replace(/0+$/, "");
  if (significant === "") return "0";
  return `${sign}${significant}e${Number(exponent) - fraction.length + all.length - significant.length}`;
}
