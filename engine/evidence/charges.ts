import { decimalsOf } from "../../lib/wire/currencies.ts";
import type { Lines } from "../lines.ts";

const CHARGE =
  /\b(fees?|charges?|interest|entgelte?|zinsen|geb(ü|ue)hr(en)?|frais|agios|int(é|e)r(ê|e)ts|commissioni?|interessi)\b/i;

/** Whether a line's description says that it is a fee or interest. */
export function isCharge(lines: Lines, line: number): boolean {
  return CHARGE.test(lines.text(line, "description") ?? "");
}

/** Whether a line's description contains an amount (in minor units), such as a deducted fee. */
export function statesAmount(lines: Lines, line: number, minor: number): boolean {
  const text = lines.text(line, "description");
  if (text === null) return false;
  const decimals = decimalsOf(lines.currencyOf(line)) ?? 2;
  const digits = String(Math.abs(minor)).padStart(decimals + 1, "0");
  const whole = digits.slice(0, digits.length - decimals);
  const written = decimals === 0 ? whole : `${whole}[.,]${digits.slice(-decimals)}`;
  return new RegExp(`(?<!\\d[.,]?)${written}(?![.,]?\\d)`).test(text);
}
