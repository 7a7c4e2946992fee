import { FileAccounts } from "../file-accounts.ts";
import type { LineCollector } from "../line-collector.ts";
import { plainWords } from "../words/plain-words.ts";

/**
 * Names of the account's column if it is the first one; further right, it is the counterparty's
 * account.
 */
const FIRST_COLUMN_NAMES =
  /^(?:iban|iban bban|(?:bank |posted )?account|account (?:number|no|type)|konto|kontonummer|konto nr|kliendi konto|rekening|rekeningnummer|compte|numero compte|cuenta|conto|conta|konta)$/;
const OWN_ACCOUNT_NAMES =
  /\b(?:auftragskonto|own account|eigenes konto|kontonummer auftragskonto)\b/;

/** The column of a table that names the account of each row. */
export class OwnAccountColumn {
  readonly #accounts = new FileAccounts();
  #name = "";
  #at = -1;

  setColumns(columns: readonly string[]): void {
    this.#at = columns.findIndex((column, index) => {
      const plain = plainWords(column);
      return OWN_ACCOUNT_NAMES.test(plain) || (index === 0 && FIRST_COLUMN_NAMES.test(plain));
    });
    this.#name = columns[this.#at] ?? "";
  }

  addLine(cells: readonly string[]): void {
    if (this.#at >= 0) this.#accounts.add((cells[this.#at] ?? "").trim());
  }

  end(out: LineCollector): void {
    const warning = this.#accounts.warning(`Column "${this.#name}" names`);
    if (warning) out.warn(warning.code, warning.message);
  }
}
