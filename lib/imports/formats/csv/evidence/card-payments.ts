import { amountMarks } from "../../../../wire/amount-marks.ts";
import { plainWords } from "../../words/plain-words.ts";
import type { Evidence } from "./evidence.ts";

/** The names of payments of the owed amount on card statements. */
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
/** Most rows of a card's statement are purchases; the others are refunds. */
const CARD_SHARE = 0.8;

/**
 * The text of a payment to a card, if all payments are negative and most other amounts positive:
 * the amounts are what is owed.
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
    positive >= CARD_SHARE * others.length;
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
    const own = texts.map(({ all }) => all[row] ?? "");
    const text = own.find((one) => CARD_PAYMENT.test(plainWords(one)));
    if (text !== undefined) payments.set(row, text);
    else if (isOwed && (PAYMENTS.has(kinds[row] ?? "") || CARD_KINDS.has(kinds[row] ?? "")))
      payments.set(row, own[0] ?? "");
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
