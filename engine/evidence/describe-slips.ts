/**
 * The slips between two weighed lines, each in a sentence: a fee that others have, a wrong digit in
 * an amount, a word misspelt or cut.
 */
import { decimalsOf } from "../../lib/wire/currencies.ts";
import { FIELD_COUNT, FIELDS } from "../prepare/texts.ts";
import { areClose, WORD } from "./alignment.ts";
import type { Evidence } from "./evidence.ts";
import { slipBetween } from "./levels.ts";
import type { Model } from "./model.ts";

/** People read no more. */
const MAX_SLIPS = 5;

/** @param evidence that has just weighed these two nodes. @returns null without a slip. */
export function describeSlips(
  evidence: Evidence,
  model: Model,
  l: number,
  r: number,
): string | null {
  const phrases = [
    amountSlip(evidence, model, l, r),
    ...wordSlips(evidence),
    otherName(evidence),
  ].filter((sentence) => sentence !== null);
  return phrases.length > 0 ? phrases.slice(0, MAX_SLIPS).join(" ") : null;
}

function amountSlip(
  { pool: { left, right } }: Evidence,
  model: Model,
  l: number,
  r: number,
): string | null {
  const [a, b] = [left.amount[l] as number, right.amount[r] as number];
  const usual = a === b ? null : model.usualDifference(a - b);
  if (usual) {
    const currency = left.lines.currencyOf(left.line(l));
    const apart = `A difference of ${written(Math.abs(a - b), currency)}, as ${Math.round(usual.others)} others`;
    const { min, max, others } = model.usualRange(a - b);
    if (min === max) return `${apart}.`;
    return `${apart}; of ${written(min, currency)}–${written(max, currency)}, as ${Math.round(others)} others.`;
  }
  const rate = model.usualRate(a, b);
  if (rate)
    return (
      `A difference of ${percent(rate.parts)} of the ${rate.of} amount, as ` +
      `${Math.round(rate.others)} others.`
    );
  return describeAmountSlip(a, b);
}

const SLIPS = {
  swapped: "In the amount two digits are swapped.",
  digit: "In the amount one digit differs.",
  moved: "One amount is the other with its decimal point moved.",
};

/** The slip between two amounts in a sentence; null if they are none apart. */
export function describeAmountSlip(left: number, right: number): string | null {
  const slip = slipBetween(left, right);
  return slip && SLIPS[slip];
}

function wordSlips({ alignment, pool: { texts } }: Evidence): string[] {
  const { leftWords, rightWords, leftState, rightState, leftStart, rightStart } = alignment;
  const mentioned = new Set<string>();
  for (let i = 0; i < (leftStart[FIELD_COUNT] as number); i++) {
    for (let j = 0; j < (rightStart[FIELD_COUNT] as number); j++) {
      if (leftState[i] !== rightState[j]) continue;
      const [mine, other] = [leftWords[i] as number, rightWords[j] as number];
      const [one, two] = [texts.spelling[mine] as string, texts.spelling[other] as string];
      if (leftState[i] === WORD.close && areClose(texts, mine, other))
        mentioned.add(`“${one}” and “${two}”: ${slipOf(one, two)}.`);
      if (leftState[i] === WORD.cut && one !== two) {
        if (two.startsWith(one)) mentioned.add(`“${one}” is “${two}” cut off.`);
        else if (one.startsWith(two)) mentioned.add(`“${two}” is “${one}” cut off.`);
      }
    }
  }
  return [...mentioned];
}

function slipOf(a: string, b: string): string {
  const letters = /^\d+$/.test(a) && /^\d+$/.test(b) ? "digit" : "letter";
  if (a.length !== b.length) return `one ${letters} missing`;
  const differing = [...a].filter((letter, at) => letter !== b[at]).length;
  return differing === 2 ? `two ${letters}s swapped` : `one ${letters} differs`;
}

const NAME = FIELDS.indexOf("counterparty");

/** Both say who it is, in other words. */
function otherName({ alignment }: Evidence): string | null {
  const { leftState, rightState, leftStart, rightStart } = alignment;
  const states = [
    leftState.subarray(leftStart[NAME], leftStart[NAME + 1]),
    rightState.subarray(rightStart[NAME], rightStart[NAME + 1]),
  ] as const;
  return states.every((side) => side.length > 0 && side.every((state) => state === WORD.alone))
    ? "The names have no word in common."
    : null;
}

/** Parts of a whole of 400 in per cent. */
function percent(parts: number): string {
  return `${Math.abs(parts) / 4} %`;
}

/** Minor units with the currency's decimals: of a currency that is not in ISO 4217 two. */
function written(minor: number, currency: string): string {
  const decimals = decimalsOf(currency) ?? 2;
  if (decimals === 0) return String(minor);
  const digits = String(minor).padStart(decimals + 1, "0");
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}
