/** Entries written in the currency of the payment while their account has another currency. */
import { standardAmount } from "../../../wire/money.ts";
import { type Amount, amountsOf, type Transaction } from "./camt-transaction.ts";
import { XmlNode } from "./xml-events.ts";

/**
 * An entry's amount in its account's currency, without a sign: from the entry's details, otherwise
 * from those of its transactions. Undefined if the file doesn't state it, or contradicts itself.
 */
export function accountAmount(
  entry: XmlNode,
  transactions: Transaction[],
  count: number,
  currency: string,
): number | undefined {
  const entryAmount = amountIn(amountsOf(entry.child("AmtDtls") ?? new XmlNode("")), currency);
  if (entryAmount !== undefined || transactions.length !== count) return entryAmount;
  let sum = 0n;
  for (const transaction of transactions) {
    const minor = amountIn(allAmounts(transaction), currency);
    if (minor === undefined) return undefined;
    const isOpposite =
      transaction.direction !== undefined && transaction.direction !== entry.get("CdtDbtInd");
    sum += BigInt(isOpposite ? -minor : minor);
  }
  return count > 0 && sum >= 0n && sum <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(sum) : undefined;
}

/** The transactions with their amounts in the account's currency. */
export function inAccountCurrency(transactions: Transaction[], currency: string): Transaction[] {
  return transactions.map((transaction) => ({
    ...transaction,
    amount: allAmounts(transaction).find(({ ccy }) => ccy === currency),
  }));
}

function allAmounts({ amount, amounts }: Transaction): Amount[] {
  return amount ? [amount, ...amounts] : amounts;
}

/** The amount in a currency; undefined unless all amounts in that currency are equal. */
function amountIn(amounts: Amount[], currency: string): number | undefined {
  const found = new Set(
    amounts
      .filter(({ ccy }) => ccy === currency)
      .map(({ text }) => standardAmount(text, currency, ".")),
  );
  const [minor] = found;
  return found.size === 1 && typeof minor === "number" && minor >= 0 ? minor : undefined;
}
