/**
 * Compares two lines, or two groups of lines, field by field, and rates how well they agree. The
 * result is shown to people.
 */

import { type Lines, NO_DAY } from "../lines.ts";
import { identifiersIn } from "../prepare/identifiers.ts";
import { sum } from "../prepare/sum.ts";
import { joined, type TextField, wordsOf } from "../prepare/text.ts";
import { isClose } from "./alignment.ts";

export const VERDICTS = ["equal", "close", "similar", "differs", "missing"] as const;
export type FieldVerdict = (typeof VERDICTS)[number];

/** A line as a person reads it; dates are days since 1970-01-01. */
export type PlainLine = {
  amount_minor: number;
  currency: string;
  value_date: number;
  booked_date?: number | null;
  reference?: string | null;
  counterparty?: string | null;
  description?: string | null;
  group_key?: string | null;
};

export type FieldComparison = {
  field: "amount" | "currency" | "value_date" | "booked_date" | TextField;
  left: string | null;
  right: string | null;
  verdict: FieldVerdict;
  /**
   * Evidence for (positive) or against (negative) a match in nats; null if the rule doesn't weigh
   * evidence.
   */
  weight: number | null;
};

const TEXT_FIELDS = ["reference", "counterparty", "description", "group_key"] as const;
/** The maximum number of values of a group that are shown. */
const MAX_SHOWN = 3;

export function plainLine(lines: Lines, line: number): PlainLine {
  const booked = lines.booked_date[line] as number;
  return {
    amount_minor: lines.amount[line] as number,
    currency: lines.currencyOf(line),
    value_date: lines.value_date[line] as number,
    booked_date: booked === NO_DAY ? null : booked,
    reference: lines.text(line, "reference"),
    counterparty: lines.text(line, "counterparty"),
    description: lines.text(line, "description"),
    group_key: lines.text(line, "group_key"),
  };
}

/** @param weights by field; null if the rule doesn't weigh evidence. */
export function compareFields(
  left: readonly PlainLine[],
  right: readonly PlainLine[],
  weights: ReadonlyMap<string, number> | null,
): FieldComparison[] {
  const weightOf = (field: string) => weights?.get(field) ?? null;
  const amounts = [
    sum(left.map((line) => line.amount_minor)),
    sum(right.map((line) => line.amount_minor)),
  ] as const;
  const days = [daysOf(left), daysOf(right)] as const;
  const comparisons: FieldComparison[] = [
    {
      field: "amount",
      left: left.length > 0 ? String(amounts[0]) : null,
      right: right.length > 0 ? String(amounts[1]) : null,
      verdict:
        left.length === 0 || right.length === 0
          ? "missing"
          : amounts[0] === amounts[1]
            ? "equal"
            : "close",
      weight: weightOf("amount"),
    },
    {
      field: "value_date",
      left: days[0],
      right: days[1],
      verdict: verdictOfDays(left, right),
      weight: weightOf("value_date"),
    },
  ];
  for (const field of TEXT_FIELDS) {
    const values = [textsOf(left, field), textsOf(right, field)] as const;
    if (values[0] === null && values[1] === null) continue;
    const weight = weightOf(field);
    comparisons.push({
      field,
      left: values[0],
      right: values[1],
      verdict: considerOtherFields(verdictOfTexts(left, right, field), weight, left, right, field),
      weight,
    });
  }
  return comparisons;
}

/**
 * Texts are equal if their normal forms are, close if one has all words of the other apart from
 * slips and a cut, and similar if they share a word.
 */
export function textVerdict(
  left: string | null | undefined,
  right: string | null | undefined,
  field: TextField,
): FieldVerdict {
  const lefts = wordsOf(left ?? "", field);
  const rights = wordsOf(right ?? "", field);
  if (lefts.length === 0 || rights.length === 0) return "missing";
  if (lefts.join(" ") === rights.join(" ")) return "equal";
  if (field === "reference" && joined(lefts) === joined(rights)) return "equal";
  const [shorter, longer] = lefts.length <= rights.length ? [lefts, rights] : [rights, lefts];
  const found = shorter.filter((word) =>
    longer.some(
      (value) =>
        value === word ||
        isClose(value, word) ||
        (word === shorter[shorter.length - 1] && value.startsWith(word)),
    ),
  );
  if (found.length === shorter.length) return "close";
  return found.some((word) => word.length > 1) ? "similar" : "differs";
}

function verdictOfTexts(
  left: readonly PlainLine[],
  right: readonly PlainLine[],
  field: TextField,
): FieldVerdict {
  let best: FieldVerdict = "missing";
  for (const line of left) {
    for (const other of right) {
      const verdict = textVerdict(line[field], other[field], field);
      if (
        best === "missing" ||
        (verdict !== "missing" && VERDICTS.indexOf(verdict) < VERDICTS.indexOf(best))
      )
        best = verdict;
    }
  }
  return best;
}

/** Improves a verdict if the other side has the value in another field. */
function considerOtherFields(
  verdict: FieldVerdict,
  weight: number | null,
  left: readonly PlainLine[],
  right: readonly PlainLine[],
  field: TextField,
): FieldVerdict {
  if (verdict !== "missing" && verdict !== "differs") return verdict;
  const isFound =
    left.some((line) => right.some((other) => isContainedIn(line[field], other, field))) ||
    right.some((line) => left.some((other) => isContainedIn(line[field], other, field)));
  if (isFound) return "close";
  return weight !== null && weight > 0 ? "similar" : verdict;
}

function isContainedIn(
  value: string | null | undefined,
  line: PlainLine,
  field: TextField,
): boolean {
  const words = wordsOf(value ?? "", field);
  if (words.length === 0) return false;
  const lineWords = new Set(TEXT_FIELDS.flatMap((text) => wordsOf(line[text] ?? "", text)));
  const numbers = TEXT_FIELDS.flatMap((text) => identifiersIn(line[text] ?? null));
  return words.every((word) => lineWords.has(word)) || numbers.includes(joined(words));
}

function verdictOfDays(left: readonly PlainLine[], right: readonly PlainLine[]): FieldVerdict {
  if (left.length === 0 || right.length === 0) return "missing";
  const daysApart = Math.min(
    ...left.flatMap((line) => right.map((other) => Math.abs(line.value_date - other.value_date))),
  );
  return daysApart === 0
    ? "equal"
    : daysApart <= 3
      ? "close"
      : daysApart <= 10
        ? "similar"
        : "differs";
}

function daysOf(lines: readonly PlainLine[]): string | null {
  if (lines.length === 0) return null;
  const days = lines.map((line) => line.value_date);
  const [first, last] = [Math.min(...days), Math.max(...days)];
  return first === last ? dateOf(first) : `${dateOf(first)} to ${dateOf(last)}`;
}

function dateOf(day: number): string {
  return new Date(day * 86_400_000).toISOString().slice(0, 10);
}

function textsOf(lines: readonly PlainLine[], field: TextField): string | null {
  const values = [
    ...new Set(lines.map((line) => line[field]).filter((value): value is string => Boolean(value))),
  ];
  if (values.length === 0) return null;
  const shown = values.slice(0, MAX_SHOWN).join("; ");
  return values.length > MAX_SHOWN ? `${shown}; and ${values.length - MAX_SHOWN} more` : shown;
}
