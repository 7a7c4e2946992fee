import { decimalsOf } from "./currencies.ts";

/** Minor units in the currency's own unit, digit by digit: −1490 EUR is -14.90. */
export function decimalText(minor: number | string, currency: string, separator = "."): string {
  const decimals = decimalsOf(currency) ?? 2;
  const [, sign = "", digits = ""] = /^(-?)(\d+)$/.exec(`${minor}`) ?? [];
  const padded = digits.padStart(decimals + 1, "0");
  const point = padded.length - decimals;
  return `${sign}${padded.slice(0, point)}${decimals > 0 ? separator : ""}${padded.slice(point)}`;
}
