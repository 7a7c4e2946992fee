import { isAvailableBalance } from "../../words/balance-labels.ts";
import { plainWords } from "../../words/plain-words.ts";
import { OTHER_BALANCES } from "../csv-other-languages.ts";
import { isConfirmed } from "../csv-readings.ts";
import type { Evidence } from "./evidence.ts";
import { FEE_NAMES } from "./weigh-fee.ts";

const BALANCE_NAMES =
  /balance|\b(?:sal[dt]o|saldos|solde|kontostand|saldobelop|stand|zustatek|zostatok|egyenleg|bilans)\b/;

const OTHERS = new Set(OTHER_BALANCES.split("|").map(plainWords));

/** Whether a column is called balance, regardless of text in brackets. */
export function isBalanceName(name: string): boolean {
  const plain = plainWords(name);
  // A regular expression to the end would take quadratic time for a name full of brackets.
  const bracket = name.search(/[([\uFF08]/);
  const bare = bracket < 0 ? plain : plainWords(name.slice(0, bracket));
  return BALANCE_NAMES.test(plain) || OTHERS.has(plain) || OTHERS.has(bare);
}

/** Maps the balance column: found by its name, otherwise by steps that equal the amounts. */
export function findBalance(evidence: Evidence): void {
  const { balance, fields } = evidence.mapping;
  // A balance is written in major units.
  if (balance !== undefined || fields.amount_minor !== undefined) return;
  const named = evidence.unmapped("amount").filter(({ name }) => isBalanceName(name));
  const first = named.find(({ name }) => !isAvailableBalance(name)) ?? named[0];
  const column =
    named.find(({ all }) => evidence.stepsAreAmounts(all)) ??
    first ??
    evidence
      .unmapped("amount")
      .find(
        (one) =>
          one.cells.length > 3 &&
          !FEE_NAMES.test(plainWords(one.name)) &&
          evidence.stepsAreAmounts(one.all),
      );
  if (column) evidence.mapping = { ...evidence.mapping, balance: column.name };
}

/**
 * Whether a column is a balance. An ambiguous name, such as "Stand", must be confirmed by a
 * reading.
 */
export function isBalance(evidence: Evidence, name: string): boolean {
  const plain = plainWords(name);
  return !/^(?:stand|bilans)$/.test(plain) || isConfirmed(evidence.try({}));
}
