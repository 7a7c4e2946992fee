import { amountMarks } from "../../../../wire/amount-marks.ts";
import { refuseFile } from "../../refusal.ts";
import { confirmedReadings, isConfirmed, previewRows, type TriedReading } from "../csv-readings.ts";
import { signsIn } from "./amount-signs.ts";
import { negativeCardPayment } from "./card-payments.ts";
import type { Evidence } from "./evidence.ts";

/** If some amounts are marked CR and none DR or minus, the unmarked ones are the other side. */
export function weighUnmarked(evidence: Evidence): void {
  const column = evidence.column(evidence.amountName);
  if (!column || evidence.mapping.fields.sign !== undefined || evidence.mapping.unmarked) return;
  const marks = column.cells.flatMap((cell) =>
    /^-?[\d.,]+$/.test(cell) ? [] : (amountMarks(cell) ?? []),
  );
  const credits = marks.filter(({ side }) => side === "credit").length;
  if (credits === 0 || credits === column.cells.length) return;
  if (signsIn(column.cells).minus > 0) return;
  const readings = [evidence.try({ unmarked: "debit" }), evidence.try({ unmarked: "credit" })];
  const [best, ...rest] = confirmedReadings(readings);
  const chosen = best && rest.length === 0 ? best : readings[0];
  if (chosen) evidence.mapping = chosen.mapping;
}

/**
 * If balances fall by positive amounts, or a card's payments are negative, a minus is money in, or
 * the amounts are what is owed.
 */
export function weighSign(evidence: Evidence): void {
  const { fields, amount_sign, balance, unmarked } = evidence.mapping;
  if (evidence.amountName === undefined || fields.sign !== undefined) return;
  if (amount_sign !== undefined || unmarked !== undefined) return;
  if (balance === undefined) {
    const payment = negativeCardPayment(evidence);
    if (payment !== undefined)
      askSign(evidence, `The payment "${payment}" is negative.`, evidence.try({}));
    return;
  }
  const asWritten = evidence.try({ amount_sign: "own" });
  if (!isConfirmed(asWritten)) refuseUnsigned(evidence, asWritten, balance);
  if (!isConfirmed(asWritten) || asWritten.pattern.polarity === 1) return;
  askSign(evidence, `Column "${balance}" falls by positive amounts.`, asWritten);
}

function askSign(evidence: Evidence, reason: string, asWritten: TriedReading): void {
  const inverted = evidence.try({ amount_sign: "inverted" });
  evidence.questions.push({
    about: "amount_sign",
    message: `${reason} Does a positive amount mean money in, or money out?`,
    example: evidence.column(evidence.amountName)?.cells[0] ?? null,
    choices: [
      { value: "inverted", reads_as: previewRows(inverted, [asWritten], evidence.currency) },
      { value: "own", reads_as: previewRows(asWritten, [inverted], evidence.currency) },
    ],
  });
}

/**
 * If balances go up and down by amounts that are all positive, no mapping can tell their
 * direction.
 */
function refuseUnsigned(
  evidence: Evidence,
  { pattern, lines }: TriedReading,
  balance: string,
): void {
  const amounts = evidence.column(evidence.amountName);
  const balances = evidence.column(balance);
  if (!amounts || !balances || pattern.holds + pattern.breaks < 2) return;
  if (signsIn(amounts.cells).minus > 0 || !evidence.stepsAreAmounts(balances.all)) return;
  throw refuseFile(
    { line: lines[0]?.position.line ?? 1 },
    "amount",
    `The amounts in column "${amounts.name}" don't say debit ` +
      `or credit, and column "${balance}" moves both ways.`,
    amounts.cells[0] ?? "",
    "amounts with a sign, or a column that says debit or credit",
  );
}
