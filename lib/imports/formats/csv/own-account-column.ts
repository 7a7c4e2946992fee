import { FileAccounts } from "../file-accounts.ts";
import type { LineCollector } from "../line-collector.ts";
import { plainWords } from "../words/plain-words.ts";

/** The first column of an export of several accounts; elsewhere it is the counterparty's. */
const FIRST_COLUMN_NAMES =
  /^(?:iban|iban bban|(?:bank |posted )?account|account (?:number|no|type)|konto|kontonummer|konto nr|kliendi konto|rekening|rekeningnummer|compte|numero compte|cuenta|conto|conta|konta)$/;
const OWN_ACCOUNT_NAMES =
  /\b(?:auftragskonto|own account|eigenes konto|kontonummer auftragskonto)\b/;

/** The column of a table that names the account of each row. */
export class OwnAccountColumn {
  readonly #accounts = new FileAccounts();
  #name = "";
  #at = -1;

  lay(columns: readonly string[]): void {
    this.#at = columns.findIndex((column, place) => {
      const plain = plainWords(column);
      return OWN_ACCOUNT_NAMES.test(plain) || (place === 0 && FIRST_COLUMN_NAMES.test(plain));
    });
    this.#name = columns[this.#at] ?? "";
  }

  line(cells: readonly string[]): void {
    if (this.#at >= 0) this.#accounts.add((cells[this.#at] ?? "").trim());
  }

  end(out: LineCollector): void {
    const warning = this.#accounts.warning(`Column "${this.#name}" names`);
    if (warning) out.warn(warning.code, warning.message);
  }
}
