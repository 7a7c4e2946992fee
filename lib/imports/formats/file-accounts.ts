import type { Warning } from "./line.ts";

const MAX_NAMED_ACCOUNTS = 3;

/** Collects the accounts of a file's lines, to warn about several: a source is one account. */
export class FileAccounts {
  readonly #names = new Set<string>();

  add(name: string): void {
    if (name !== "" && this.#names.size < MAX_NAMED_ACCOUNTS) this.#names.add(name);
  }

  /** Undefined for a file of one account. `where`: the start of the warning's sentence. */
  warning(where: string): Warning | undefined {
    if (this.#names.size < 2) return undefined;
    const names = [...this.#names].join(", ");
    const message = `${where} several accounts, such as ${names}. Their lines are all in this source.`;
    return { code: "several_accounts", message };
  }
}
