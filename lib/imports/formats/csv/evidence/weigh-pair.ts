import { amountMarks } from "../../../../wire/amount-marks.ts";
import { confirmedReadings, isConfirmed, previewRows } from "../csv-readings.ts";
import { hasRareSign, signsIn } from "./amount-signs.ts";
import type { Evidence } from "./evidence.ts";

/** Decides which of two columns of amounts is money out, if no name tells. */
export function orderPair(evidence: Evidence): void {
  const { debit, credit } = evidence.mapping.fields;
  if (debit === undefined || credit === undefined) return;
  const fields = { ...evidence.mapping.fields, debit: credit, credit: debit };
  const signs = { debit_sign: "plus", credit_sign: "plus" } as const;
  const readings = [evidence.try(signs), evidence.try({ ...signs, fields })];
  const [best, ...rest] = readings.filter(
    (reading) => isConfirmed(reading) && reading.pattern.polarity === 1,
  );
  if (best && rest.length === 0) {
    evidence.mapping = { ...evidence.mapping, fields: best.mapping.fields };
    return;
  }
  // The answer names the debit column, and the other is then the credit column.
  const { debit: _, credit: __, ...otherFields } = evidence.mapping.fields;
  evidence.mapping = { ...evidence.mapping, fields: otherFields };
  evidence.questions.push({
    about: "fields.debit",
    message:
      `Columns "${debit}" and "${credit}" are money out and money in. ` +
      "Which is money out (debit)?",
    example: null,
    choices: readings.map((one, at) => ({
      value: one.mapping.fields.debit as string,
      reads_as: previewRows(one, readings.slice(1 - at, 2 - at), evidence.currency),
    })),
  });
}

/**
 * The meaning of a minus in a column of debits or credits: the column states the direction, or the
 * minus reverses it.
 */
export function weighPair(evidence: Evidence): void {
  for (const field of ["debit", "credit"] as const) {
    const setting = `${field}_sign` as const;
    const column = evidence.column(evidence.mapping.fields[field]);
    if (!column || evidence.mapping[setting] !== undefined) continue;
    const signs = signsIn(column.cells);
    const total = signs.plus + signs.minus;
    if (total === 0) continue;
    // A minus in the only column of amounts may be the direction itself.
    const { debit, credit } = evidence.mapping.fields;
    const isAlone = debit === undefined || credit === undefined;
    if (signs.minus === 0 || (signs.plus === 0 && !isAlone)) {
      evidence.mapping = { ...evidence.mapping, [setting]: signs.minus === 0 ? "plus" : "minus" };
      continue;
    }
    const plus = evidence.try({ [setting]: "plus" });
    const minus = evidence.try({ [setting]: "minus" });
    const [best, ...rest] = confirmedReadings([plus, minus]);
    if (best && rest.length === 0) evidence.mapping = best.mapping;
    else if (!isAlone && hasRareSign(signs))
      evidence.mapping = (signs.plus > signs.minus ? plus : minus).mapping;
    else {
      const [reversed, usual] = field === "debit" ? ["in", "out"] : ["out", "in"];
      const example = column.cells.find((cell) => amountMarks(cell)?.negative) ?? null;
      evidence.questions.push({
        about: setting,
        message:
          `Column "${column.name}" has amounts with a minus sign. What does a negative ${field} ` +
          `such as "${example}" mean: money ${reversed}, or money ${usual}?`,
        example,
        choices: [
          { value: "plus", reads_as: previewRows(plus, [minus], evidence.currency) },
          { value: "minus", reads_as: previewRows(minus, [plus], evidence.currency) },
        ],
      });
      return;
    }
  }
}
