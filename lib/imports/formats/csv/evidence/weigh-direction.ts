import { amountMarks } from "../../../../wire/amount-marks.ts";
import type { Mapping } from "../../mapping.ts";
import {
  directionOf,
  isLedgerCode,
  likelyDirectionOf,
  mayNameDirection,
} from "../../words/directions.ts";
import { plainWords } from "../../words/plain-words.ts";
import { confirmedReadings, previewRows, type TriedReading } from "../csv-readings.ts";
import { isStatusName } from "../csv-statuses.ts";
import type { Column } from "../csv-table.ts";
import { fieldsForName } from "../csv-words.ts";
import { signsAgree, signsIn } from "./amount-signs.ts";
import type { Evidence } from "./evidence.ts";

/** Columns that name the kind of a transaction. */
const KIND_NAMES =
  /^(?:(?:(?:transaction|document|entry|voucher) )?(?:type|kind)|typ|art|tipo|soort|(?:transaktions|umsatz|buchungs|beleg)art)$/;
const MAX_DISTINCT_VALUES = 12;

export function weighDirection(evidence: Evidence): void {
  const { fields, amount_sign } = evidence.mapping;
  const amounts = evidence.column(evidence.amountName);
  if (!amounts || (amount_sign === "own" && fields.sign === undefined)) return;
  const column = evidence.column(fields.sign) ?? directionColumn(evidence);
  if (!column) return;
  const signs = signsIn(amounts.cells);
  const isRedundant = signs.minus > 0 && signsAgree(amounts, column);
  if (isRedundant && amount_sign === undefined) {
    evidence.mapping = { ...evidence.mapping, fields: omitField(fields, "sign") };
    return;
  }
  const withColumn = { ...fields, sign: column.name };
  if (askDirectionWord(evidence, column)) return;
  if (signs.minus === 0 || amount_sign !== undefined) {
    if (amount_sign !== "own" && amount_sign !== "inverted")
      evidence.mapping = { ...evidence.mapping, fields: withColumn };
    return;
  }
  const readings = [
    evidence.try({ fields: withColumn, amount_sign: "repeats" }),
    evidence.try({ fields: withColumn, amount_sign: "reverses" }),
    evidence.try({ fields: omitField(fields, "sign"), amount_sign: "own" }),
  ];
  const [best, ...rest] = confirmedReadings(readings);
  if (best && rest.length === 0) {
    evidence.mapping = best.mapping;
    return;
  }
  const distinct = readings.filter(
    (one, at) => readings.findIndex((other) => hasSameLines(one, other)) === at,
  );
  const [only] = distinct;
  if (only && distinct.length === 1) {
    evidence.mapping = only.mapping;
    return;
  }
  evidence.questions.push({
    about: "amount_sign",
    message:
      `The sign of the amounts and the direction in column "${column.name}" disagree. ` +
      "Which of them says debit or credit?",
    example: amounts.cells.find((cell) => amountMarks(cell)?.negative) ?? null,
    choices: distinct.map((one) => ({
      value: one.mapping.amount_sign as string,
      reads_as: previewRows(
        one,
        distinct.filter((other) => other !== one),
        evidence.currency,
      ),
    })),
  });
}

/**
 * Finds the direction column by its values, regardless of its name: each says debit or credit, or
 * some do and the others are asked about.
 */
function directionColumn(evidence: Evidence): Column | undefined {
  const amounts = evidence.column(evidence.amountName);
  const isUnsigned = signsIn(amounts?.cells ?? []).minus === 0;
  const columns = evidence.table.columns.filter(
    (one) =>
      mayNameDirection(one.name) &&
      one.name !== evidence.mapping.status?.column &&
      !isConstantStatus(one),
  );
  const isFull = ({ cells, all }: Column) => cells.length >= 0.95 * all.length;
  const known = columns.filter(
    (one) =>
      isFull(one) &&
      one.cells.length > 0 &&
      one.cells.every((cell) => directionOf(cell) !== undefined),
  );
  const named = known.find(({ name }) => fieldsForName(name).some(({ field }) => field === "sign"));
  if (named ?? known[0]) return named ?? known[0];
  if (!isUnsigned) return undefined;
  return columns.find((one) => {
    const values = new Set(one.cells);
    if (!evidence.table.hasHeader && isFull(one) && isTwoLetters(values)) return true;
    if (!isFull(one) || values.size > MAX_DISTINCT_VALUES || values.size < 2) return false;
    const isNamed = fieldsForName(one.name).some(({ field }) => field === "sign");
    // A mapped column, an amount or a date is not a kind of payment.
    if (!isNamed && (evidence.isMapped(one) || one.kind === "amount" || one.kind === "date"))
      return false;
    const directions = new Set([...values].map(likelyDirectionOf));
    const isLedger = () => [...values].every(isLedgerCode);
    if (KIND_NAMES.test(plainWords(one.name)))
      if (directions.has(-1) || directions.has(1) || isLedger()) return true;
    return (
      (directions.has(-1) && directions.has(1)) ||
      (isNamed && values.size <= 4 && one.kind !== "amount" && one.kind !== "date")
    );
  });
}

/** Whether all rows have the same status. "Sent" in each row says nothing about directions. */
function isConstantStatus({ name, cells }: Column): boolean {
  return isStatusName(name) && new Set(cells).size === 1;
}

/** Two letters, such as T and J, that don't say yes and no. */
function isTwoLetters(values: ReadonlySet<string>): boolean {
  const letters = [...values].map((value) => value.toLowerCase());
  return (
    letters.length === 2 &&
    letters.every((letter) => /^\p{L}$/u.test(letter)) &&
    !letters.includes("n")
  );
}

/** Asks about the first word that says neither debit nor credit. */
function askDirectionWord(evidence: Evidence, column: Column): boolean {
  const signValues = evidence.mapping.sign_values;
  const known = new Set(
    [...(signValues?.debit ?? []), ...(signValues?.credit ?? [])].map((word) => word.toUpperCase()),
  );
  const values = [...new Set(column.cells)];
  const unknown = values.find(
    (word) => directionOf(word) === undefined && !known.has(word.toUpperCase()),
  );
  if (unknown === undefined || values.length > MAX_DISTINCT_VALUES) return false;
  const debit = [...(signValues?.debit ?? values.filter((word) => directionOf(word) === -1))];
  const credit = [...(signValues?.credit ?? values.filter((word) => directionOf(word) === 1))];
  const fields = { ...evidence.mapping.fields, sign: column.name };
  const asDebit = { debit: [...debit, unknown], credit: credit.length > 0 ? credit : ["CREDIT"] };
  const asCredit = { debit: debit.length > 0 ? debit : ["DEBIT"], credit: [...credit, unknown] };
  const readings = [asDebit, asCredit].map((sign_values) => evidence.try({ fields, sign_values }));
  const [best, ...rest] = confirmedReadings(readings);
  if (best && rest.length === 0) {
    evidence.mapping = best.mapping;
    return askDirectionWord(evidence, column);
  }
  const [debitReading, creditReading] = readings as [TriedReading, TriedReading];
  evidence.mapping = { ...evidence.mapping, fields };
  evidence.questions.push({
    about: "sign_values",
    message:
      `Does "${unknown}" in column "${column.name}" ` +
      "mean money out (debit) or money in (credit)?",
    example: unknown,
    choices: [
      {
        value: JSON.stringify(asDebit),
        reads_as: previewRows(debitReading, [creditReading], evidence.currency),
      },
      {
        value: JSON.stringify(asCredit),
        reads_as: previewRows(creditReading, [debitReading], evidence.currency),
      },
    ],
  });
  return true;
}

function hasSameLines(one: TriedReading, other: TriedReading): boolean {
  return (
    one.lines.length === other.lines.length &&
    one.lines.every((line, at) => line.amount_minor === other.lines[at]?.amount_minor)
  );
}

export function omitField<Field extends string>(
  fields: Mapping["fields"],
  field: Field,
): Mapping["fields"] {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => name !== field));
}
