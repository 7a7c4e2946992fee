import type { Warning } from "./line.ts";

const ACCOUNTS_NAMED = 3;

/** The accounts that the lines of a file belong to, because a source is one account. */
export class FileAccounts {
  readonly #names = new Set<string>();

  add(name: string): void {
    if (name !== "" && this.#names.size < ACCOUNTS_NAMED) this.#names.add(name);
  }

  /** Undefined for a file of one account. `where`: what names them. */
  warning(where: string): Warning | undefined {
    if (this.#names.size < 2) return undefined;
    const names = [...this.#names].join(", ");
    const message = `${where} several accounts, such as ${names}. Their lines are all in this source.`;
    return { code: "several_accounts", message };
  }
}
