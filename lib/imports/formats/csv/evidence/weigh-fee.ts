import { plainWords } from "../../words/plain-words.ts";
import { hasMinorUnits } from "../csv-minor-units.ts";
import { confirmedReadings, previewRows } from "../csv-readings.ts";
import { magnitudeOf, signsIn } from "./amount-signs.ts";
import type { Evidence } from "./evidence.ts";

export const FEE_NAMES =
  /\b(?:fees?|gebuehr\w*|gebuhr\w*|entgelte?|frais|comision(?:es)?|commissions?|commissione|commissioni|spese|kosten|charges?|taxas?|tarifa|avgift(?:er)?|gebyr(?:er)?|provision|prowizja|oplata|poplatek|jutalek)\b/;

export function weighFee(evidence: Evidence): void {
  const { fields, fee_handling } = evidence.mapping;
  if (fields.fee !== undefined || fields.fee_minor !== undefined) return;
  if (fee_handling === "included") return;
  const column = evidence
    .unmapped("amount")
    .find(
      ({ name, cells }) =>
        name !== evidence.mapping.balance &&
        FEE_NAMES.test(plainWords(name)) &&
        cells.some((cell) => magnitudeOf(cell, evidence.mapping) > 0),
    );
  if (!column || evidence.amountName === undefined) return;
  const isNegative = signsIn(column.cells).minus > signsIn(column.cells).plus;
  const withFee = hasMinorUnits(column)
    ? { ...fields, fee_minor: column.name }
    : { ...fields, fee: column.name };
  const included = evidence.try({ fee_handling: "included" });
  const deducted = evidence.try({
    fields: withFee,
    fee_handling: "deducted",
    ...(isNegative && { fee_sign: "minus" as const }),
  });
  if (fee_handling === "deducted") {
    evidence.mapping = deducted.mapping;
    return;
  }
  const [best, ...rest] = confirmedReadings([included, deducted]);
  if (best && rest.length === 0) {
    evidence.mapping = best.mapping;
    return;
  }
  evidence.questions.push({
    about: "fee_handling",
    message:
      `Does the fee in column "${column.name}" come ` +
      "off the amount, or is it in the amount already?",
    example: column.cells.find((cell) => magnitudeOf(cell, evidence.mapping) > 0) ?? null,
    choices: [
      { value: "deducted", reads_as: previewRows(deducted, [included], evidence.currency) },
      { value: "included", reads_as: previewRows(included, [deducted], evidence.currency) },
    ],
  });
}
