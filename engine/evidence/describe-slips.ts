/**
 * Describes the slips between two weighed lines, each in a sentence: a fee that other matches have,
 * a wrong digit in an amount, a misspelled or cut word.
 */
import { decimalsOf } from "../../lib/wire/currencies.ts";
import { FIELD_COUNT, FIELDS } from "../prepare/texts.ts";
import { areClose, WORD } from "./alignment.ts";
import type { Evidence } from "./evidence.ts";
import { slipBetween } from "./levels.ts";
import type { Model } from "./model.ts";

/** The maximum number of slips described, because people don't read longer notes. */
const MAX_SLIPS = 5;

/** @param evidence that weighed these two nodes last. @returns null if there is no slip. */
export function describeSlips(
  evidence: Evidence,
  model: Model,
  l: number,
  r: number,
): string | null {
  const sentences = [
    amountSlip(evidence, model, l, r),
    ...wordSlips(evidence),
    differentName(evidence),
  ].filter((sentence) => sentence !== null);
  return sentences.length > 0 ? sentences.slice(0, MAX_SLIPS).join(" ") : null;
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
    const apart = `A difference of ${formatAmount(Math.abs(a - b), currency)}, as ${Math.round(usual.others)} others`;
    const { min, max, others } = model.usualRange(a - b);
    if (min === max) return `${apart}.`;
    return `${apart}; of ${formatAmount(min, currency)}–${formatAmount(max, currency)}, as ${Math.round(others)} others.`;
  }
  const rate = model.usualRate(a, b);
  if (rate)
    return (
      `A difference of ${percent(rate.parts)} of the ${rate.base} amount, as ` +
      `${Math.round(rate.others)} others.`
    );
  return describeAmountSlip(a, b);
}

const SLIPS = {
  swapped: "In the amount two digits are swapped.",
  digit: "In the amount one digit differs.",
  moved: "One amount is the other with its decimal point moved.",
};

/** Describes the slip between two amounts in a sentence; null if there is none. */
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
      const [leftWord, rightWord] = [leftWords[i] as number, rightWords[j] as number];
      const [one, two] = [texts.spelling[leftWord] as string, texts.spelling[rightWord] as string];
      if (leftState[i] === WORD.close && areClose(texts, leftWord, rightWord))
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

/** Reports that both lines have a counterparty, without a common word. */
function differentName({ alignment }: Evidence): string | null {
  const { leftState, rightState, leftStart, rightStart } = alignment;
  const states = [
    leftState.subarray(leftStart[NAME], leftStart[NAME + 1]),
    rightState.subarray(rightStart[NAME], rightStart[NAME + 1]),
  ] as const;
  return states.every((side) => side.length > 0 && side.every((state) => state === WORD.alone))
    ? "The names have no word in common."
    : null;
}

/** Formats a rate that is given in quarters of a percent. */
function percent(parts: number): string {
  return `${Math.abs(parts) / 4} %`;
}

/** Formats minor units with the currency's decimals, or two if it isn't in ISO 4217. */
function formatAmount(minor: number, currency: string): string {
  const decimals = decimalsOf(currency) ?? 2;
  if (decimals === 0) return String(minor);
  const digits = String(minor).padStart(decimals + 1, "0");
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}
