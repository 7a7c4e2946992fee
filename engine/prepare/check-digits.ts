/**
 * Adds and removes the check digits of printed references: ISO 11649 (RF), the Swiss QR reference,
 * and numbers that end in a check digit by Luhn (Swedish OCR, Norwegian KID), by modulus 11 (KID)
 * or by weights of 7, 3 and 1 (Finnish).
 */

import { isNumber } from "./digits.ts";

/** Shorter numbers end in a valid digit by chance too often. */
const MIN_DIGITS = 4;
const QR_DIGITS = 27;
const CREDITOR = /^RF(\d\d)([A-Z0-9]{1,21})$/;

/**
 * Removes the check digits of a reference.
 * @param name the reference as one word.
 * @returns the reference without check digits and leading zeros; empty if no check digit is right.
 */
export function withoutCheckDigits(name: string): string[] {
  const creditor = name.startsWith("RF") ? CREDITOR.exec(name) : null;
  if (creditor) {
    const [, check = "", body = ""] = creditor;
    return remainder97(`${body}RF${check}`) === 1 ? [body.replace(/^0+(?=.)/, "")] : [];
  }
  if (name.length <= MIN_DIGITS || name.length > QR_DIGITS || !isNumber(name)) return [];
  const body = name.slice(0, -1);
  const check = digitAt(name, name.length - 1);
  const isRight =
    luhn(body) === check ||
    finnish(body) === check ||
    modulus11(body) === check ||
    (name.length >= QR_DIGITS - 1 && swiss(body) === check);
  const bare = body.replace(/^0+(?=\d)/, "");
  return isRight && bare.length >= MIN_DIGITS ? [bare] : [];
}

/** The printed forms of a number: as a creditor reference, and with each kind of check digit. */
export function withCheckDigits(body: string): string[] {
  const check = String(98 - remainder97(`${body}RF00`)).padStart(2, "0");
  const digits = new Set([luhn(body), finnish(body), modulus11(body) % 10]);
  return [`RF${check}${body}`, ...Array.from(digits, (digit) => `${body}${digit}`)];
}

/** The remainder modulo 97 by ISO 7064, with A as 10 to Z as 35. */
export function remainder97(text: string): number {
  let remainder = 0;
  for (const letter of text) {
    const value = Number.parseInt(letter, 36);
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97;
  }
  return remainder;
}

function luhn(body: string): number {
  let sum = 0;
  for (let at = 0; at < body.length; at++) {
    const digit = digitAt(body, body.length - 1 - at) * (at % 2 === 0 ? 2 : 1);
    sum += digit > 9 ? digit - 9 : digit;
  }
  return (10 - (sum % 10)) % 10;
}

const FINNISH = [7, 3, 1];

function finnish(body: string): number {
  let sum = 0;
  for (let at = 0; at < body.length; at++)
    sum += digitAt(body, body.length - 1 - at) * (FINNISH[at % 3] as number);
  return (10 - (sum % 10)) % 10;
}

/** Returns 10 for numbers whose check character is a hyphen. */
function modulus11(body: string): number {
  let sum = 0;
  for (let at = 0; at < body.length; at++)
    sum += digitAt(body, body.length - 1 - at) * ((at % 6) + 2);
  return (11 - (sum % 11)) % 11;
}

const SWISS = [0, 9, 4, 6, 8, 2, 7, 1, 3, 5];

function swiss(body: string): number {
  let carry = 0;
  for (const digit of body) carry = SWISS[(carry + Number(digit)) % 10] as number;
  return (10 - carry) % 10;
}

function digitAt(text: string, at: number): number {
  return text.charCodeAt(at) - 0x30;
}
