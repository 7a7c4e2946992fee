/**
 * What goes wrong between two sides, as guides to bank reconciliation list it: two digits
 * transposed, one mistyped or left out, a name cut at the width of a field or put down as the trade
 * name.
 */
import type { Random } from "../random.ts";

/**
 * Two neighbouring digits swapped (the difference divides by nine), or one wrong: as amounts are
 * mistyped.
 */
export function mistypedAmount(random: Random, amount: number): number {
  const digits = String(Math.abs(amount));
  const changed = random.chance(0.6) ? swapped(random, digits) : wrongDigit(random, digits);
  return Math.sign(amount) * Number(changed);
}

/**
 * A number as it is keyed in wrongly: swapped, wrong or missing digit. Texts without two digits
 * stay as they are.
 */
export function mistypedNumber(random: Random, text: string): string {
  const roll = random.next();
  if (roll < 0.5) return swapped(random, text);
  if (roll < 0.8) return wrongDigit(random, text);
  const places = digitsIn(text);
  const at = places[random.between(1, Math.max(1, places.length - 1))];
  return at === undefined ? text : text.slice(0, at) + text.slice(at + 1);
}

/**
 * The name in a fixed field: 16 characters of an ACH company, 22 of a card's merchant, 35 of a
 * MT940 line, 18 of a short one.
 */
export function truncate(width: number, text: string): string {
  return text.slice(0, width).trim();
}

/** Capitals and the letters that SWIFT and ACH files allow. */
export function toCapitals(text: string): string {
  return text
    .replaceAll("ä", "ae")
    .replaceAll("ö", "oe")
    .replaceAll("ü", "ue")
    .replaceAll("Ø", "O")
    .normalize("NFD")
    .replaceAll(/[^\w &.,+*:#/()-]/g, "")
    .toUpperCase();
}

function swapped(random: Random, text: string): string {
  const places = digitsIn(text).filter(
    (at) => /\d/.test(text[at + 1] ?? "") && text[at] !== text[at + 1] && text[at + 1] !== "0",
  );
  if (places.length === 0) return text;
  const at = random.pick(places);
  return text.slice(0, at) + text[at + 1] + text[at] + text.slice(at + 2);
}

function wrongDigit(random: Random, text: string): string {
  const places = digitsIn(text);
  if (places.length < 2) return text;
  const at = places[random.between(1, places.length - 1)] as number;
  return text.slice(0, at) + ((Number(text[at]) + random.between(1, 9)) % 10) + text.slice(at + 1);
}

function digitsIn(text: string): number[] {
  return [...text].flatMap((letter, at) => (/\d/.test(letter) ? [at] : []));
}
