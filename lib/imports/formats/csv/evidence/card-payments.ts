import { amountMarks } from "../../../../wire/amount-marks.ts";
import { plainWords } from "../../words/plain-words.ts";
import type { Evidence } from "./evidence.ts";

/** Texts of payments to a card on its statement. */
const CARD_PAYMENT =
  /thank ?you|\b(?:autopay|online|internet|mobile|electronic|automatic) (?:payment|pymt)|payment received|zahlung (?:erhalten|dankend)|besten dank|vielen dank|paiement recu|merci|pago recibido|gracias|pagamento ricevuto|grazie|pagamento recebido|obrigado|betaling ontvangen|bedankt/;
/** The kinds of rows on a card's statement. */
const PURCHASES = new Set("purchase kauf achat compra acquisto aankoop kop kjop kob".split(" "));
const PAYMENTS = new Set("payment zahlung paiement pago pagamento betaling betalning".split(" "));
/** Kinds of rows that only statements of cards have. */
const CARD_KINDS = new Set([
  "payments and credits",
  "payments credits",
  "payment credit",
  "credits and payments",
]);
const MAX_KINDS = 12;
/** The minimum share of purchases among a card's rows; the others are refunds. */
const MIN_PURCHASE_SHARE = 0.8;

/**
 * The text of a payment to a card, if all such payments are negative and most other amounts are
 * positive: then amounts are money owed.
 */
export function negativeCardPayment(evidence: Evidence): string | undefined {
  const amounts = evidence.column(evidence.amountName);
  if (!amounts) return undefined;
  const isNegative = amounts.all.map((cell) => amountMarks(cell)?.negative ?? false);
  const payments = paymentsOf(evidence, isNegative);
  const others = amounts.all.flatMap((cell, row) =>
    cell === "" || payments.has(row) ? [] : [row],
  );
  const positive = others.filter((row) => !isNegative[row]).length;
  const isCard =
    [...payments.keys()].every((row) => isNegative[row]) &&
    positive > 0 &&
    positive >= MIN_PURCHASE_SHARE * others.length;
  return isCard ? payments.values().next().value : undefined;
}

/** The rows of payments, by their texts, or by a column of kinds whose purchases are positive. */
function paymentsOf(evidence: Evidence, isNegative: readonly boolean[]): Map<number, string> {
  const { description, counterparty } = evidence.mapping.fields;
  const texts = [description, counterparty].flatMap((name) => evidence.column(name) ?? []);
  const kinds = kindsOf(evidence);
  const isOwed = kinds.every((kind, row) => !PURCHASES.has(kind) || !isNegative[row]);
  const payments = new Map<number, string>();
  for (let row = 0; row < isNegative.length; row++) {
    const rowTexts = texts.map(({ all }) => all[row] ?? "");
    const text = rowTexts.find((one) => CARD_PAYMENT.test(plainWords(one)));
    if (text !== undefined) payments.set(row, text);
    else if (isOwed && (PAYMENTS.has(kinds[row] ?? "") || CARD_KINDS.has(kinds[row] ?? "")))
      payments.set(row, rowTexts[0] ?? "");
  }
  return payments;
}

/** The kind of each row, if a column has both purchases and payments. */
function kindsOf({ table }: Evidence): string[] {
  for (const { kind, all } of table.columns) {
    const cells = kind === "text" ? new Set(all) : new Set<string>();
    if (cells.size > MAX_KINDS) continue;
    const plain = new Map([...cells].map((cell) => [cell, plainWords(cell)]));
    const words = [...plain.values()];
    const hasCardKind = words.some((word) => CARD_KINDS.has(word));
    const hasBoth =
      words.some((word) => PURCHASES.has(word)) && words.some((word) => PAYMENTS.has(word));
    if (hasBoth || hasCardKind) return all.map((cell) => plain.get(cell) ?? "");
  }
  return [];
}
