import { amountMarks } from "./amount-marks.ts";
import { decimalsOf } from "./currencies.ts";

/** What is wrong with an amount, for an error message. */
export type Fault = { problem: string; wanted: string };

export type DecimalSeparator = "." | ",";

const ZERO = 48;
const NINE = 57;
const MINUS = 45;

/**
 * Parses digits with at most one decimal separator and a leading minus, in minor units. NaN for
 * anything else, and for more decimals than the currency has. It computes digit by digit without
 * floats, so it is exact up to ±(2⁵³ − 1).
 */
export function plainAmount(text: string, decimals: number, separator: DecimalSeparator): number {
  const end = text.length;
  const mark = separator.charCodeAt(0);
  const negative = text.charCodeAt(0) === MINUS;
  let at = negative ? 1 : 0;
  if (at === end) return Number.NaN;
  let minor = 0;
  let after = -1;
  for (; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code >= ZERO && code <= NINE) {
      minor = minor * 10 + (code - ZERO);
      if (after >= 0) after++;
      if (minor > Number.MAX_SAFE_INTEGER) return Number.NaN;
    } else if (code === mark && after < 0 && at > (negative ? 1 : 0)) after = 0;
    else return Number.NaN;
  }
  if (after === 0 || after > decimals) return Number.NaN;
  for (let left = decimals - Math.max(after, 0); left > 0; left--) minor *= 10;
  if (minor > Number.MAX_SAFE_INTEGER) return Number.NaN;
  return negative && minor !== 0 ? -minor : minor;
}

const GROUP_MARKS = /[.,'’\u00A0\u00B4\u2007\u2009\u202F ]/g;
/** A text of many blanks would take quadratic time to parse. */
const WRITTEN_MAX_LENGTH = 1_000;
const BODY = /^\d*(?:[.,'’\u00A0\u00B4\u2007\u2009\u202F ]\d+)*$/;
const BY_THREES = /^\d{1,3}(?:(.)\d{3})(?:\1\d{3})*$/u;
const INDIAN = /^\d{1,2}(?:,\d{2})*,\d{3}$/;

/**
 * Parses an amount as people and spreadsheets write it, in minor units: thousands separators (. , '
 * space, also Indian groups), a minus before or after, parentheses for negative, CR and DR on
 * either side, and the line's own currency as code or symbol.
 *
 * Without `separator`, only unambiguous amounts are read: 1234.56, 1.234,56 or 12,5, but not 1.234.
 * Nothing is ever rounded.
 */
export function writtenAmount(
  text: string,
  currency: string,
  separator?: DecimalSeparator,
): number | Fault {
  const decimals = decimalsOf(currency) ?? 0;
  const fast = separator ? plainAmount(text, decimals, separator) : Number.NaN;
  if (!Number.isNaN(fast)) return fast;
  if (text.length > WRITTEN_MAX_LENGTH) return notAnAmount(separator);
  const marks = amountMarks(text);
  if (!marks) return notAnAmount(separator);
  if (marks.currencies !== null && !marks.currencies.includes(currency)) {
    return { problem: "The amount is in another currency.", wanted: `an amount in ${currency}` };
  }
  const { body } = marks;
  if (body === "" || !BODY.test(body)) return notAnAmount(separator);
  const groups: string[] = body.match(GROUP_MARKS) ?? [];
  const decimal = separator ?? decimalMarkOf(body, groups);
  if (decimal === null) {
    return {
      problem: "The separator can be read as decimals or as thousands.",
      wanted: "a mapping that says decimal_separator",
    };
  }
  const at = decimal === undefined ? -1 : body.lastIndexOf(decimal);
  const whole = at < 0 ? body : body.slice(0, at);
  const fraction = at < 0 ? "" : body.slice(at + 1);
  if (!hasSoundGroups(whole, decimal)) return notAnAmount(separator);
  const minor = plainAmount(
    `${whole.replace(GROUP_MARKS, "") || "0"}${fraction && `.${fraction}`}`,
    decimals,
    ".",
  );
  if (Number.isNaN(minor))
    return fraction.length > decimals ? tooManyDecimals(currency, decimals) : TOO_LARGE;
  return marks.negative && minor !== 0 ? -minor : minor;
}

/**
 * Parses an amount of a standard that fixes the decimal separator, in minor units. Zeros after the
 * currency's decimals are ignored (`18.150` EUR); other digits there are rejected.
 */
export function standardAmount(
  text: string,
  currency: string,
  separator: DecimalSeparator,
): number | Fault {
  const decimals = decimalsOf(currency) ?? 0;
  const fast = plainAmount(text, decimals, separator);
  if (!Number.isNaN(fast)) return fast;
  const [, sign = "", whole = "", fraction = ""] =
    (separator === "." ? /^([+-]?)(\d*)(?:\.(\d*))?$/ : /^([+-]?)(\d*)(?:,(\d*))?$/).exec(text) ??
    [];
  if (whole === "" && fraction === "")
    return {
      problem: "This is not an amount.",
      wanted: `digits with "${separator}" before the decimals`,
    };
  const zerosOff = fraction.replace(/0+$/, "");
  if (zerosOff.length > decimals) return tooManyDecimals(currency, decimals);
  const minor = plainAmount(`${whole || "0"}${zerosOff && `.${zerosOff}`}`, decimals, ".");
  if (Number.isNaN(minor)) return TOO_LARGE;
  return sign === "-" && minor !== 0 ? -minor : minor;
}

/**
 * Parses an amount of the API: digits, a point before the decimals, a leading minus. Zeros after
 * the currency's decimals are rejected, too.
 */
export function wireAmount(text: string, currency: string): number | Fault {
  const decimals = decimalsOf(currency) ?? 0;
  const minor = plainAmount(text, decimals, ".");
  if (!Number.isNaN(minor)) return minor;
  const [, fraction] = /^-?\d+(?:\.(\d+))?$/.exec(text) ?? [];
  if (fraction !== undefined && fraction.length > decimals)
    return tooManyDecimals(currency, decimals);
  return /^-?\d+(?:\.\d+)?$/.test(text) ? TOO_LARGE : notAnAmount(".");
}

/** Parses a whole number of minor units. */
export function minorAmount(text: string): number | Fault {
  if (!/^-?\d+$/.test(text))
    return { problem: "This is not a number of minor units.", wanted: "a whole number" };
  const minor = plainAmount(text, 0, ".");
  return Number.isNaN(minor) ? TOO_LARGE : minor;
}

const TOO_LARGE: Fault = {
  problem: "The amount is too large.",
  wanted: "at most 9007199254740991 minor units",
};

function tooManyDecimals(currency: string, decimals: number): Fault {
  const expected = decimals === 0 ? "a whole number" : `at most ${decimals} decimals`;
  return { problem: `More decimals than ${currency} has.`, wanted: expected };
}

function notAnAmount(separator?: DecimalSeparator): Fault {
  return {
    problem: "This is not an amount.",
    wanted: `a number such as 1234${separator ?? "."}56`,
  };
}

/**
 * The mark before the decimals; undefined if there are none, null if it could be a thousands
 * separator.
 */
function decimalMarkOf(body: string, marks: string[]): string | undefined | null {
  const points = [...new Set(marks.filter((mark) => mark === "." || mark === ","))];
  if (points.length === 2) return points[1];
  const [point] = points;
  if (point === undefined) return undefined;
  if (marks.filter((mark) => mark === point).length > 1) return undefined;
  if (marks.length > 1) return point;
  const [whole = "", fraction = ""] = body.split(point);
  const maybeThousands =
    fraction.length === 3 && whole.length >= 1 && whole.length <= 3 && !whole.startsWith("0");
  return maybeThousands ? null : point;
}

function hasSoundGroups(whole: string, decimal: string | undefined): boolean {
  if (/^\d*$/.test(whole)) return true;
  return !(decimal && whole.includes(decimal)) && (BY_THREES.test(whole) || INDIAN.test(whole));
}
