import type { MappedField } from "../mapping.ts";
import { fieldsForName } from "./csv-words.ts";

const TEXTS: readonly MappedField[] = ["description", "counterparty", "reference"];
const AMOUNTS: readonly MappedField[] = ["amount", "debit", "credit"];
const WHOLE_PART = /^[-+(]?\d{1,3}$/;
const WHOLE_PART_MAX_LENGTH = 4;
/** The rest of 45,20 or of 1,045.20. */
const REST = /^(?:\d{2}|\d{3}(?:\.\d{1,2})?)\)?$/;
const REST_IN_TEXT = /^\d{3}\.\d{2}\)?$/;

/**
 * Finds amounts that an unquoted comma splits into two cells of a comma-separated table. The row
 * may still have the right number of cells, if later ones are optional.
 */
export class SplitAmounts {
  /** The columns of amounts, and whether the next column has texts. */
  #columns: { at: number; isTextNext: boolean }[] = [];

  setColumns(
    names: readonly string[],
    fields: readonly (readonly MappedField[] | undefined)[],
  ): void {
    this.#columns = names.flatMap((_, at) => {
      const isAmount = fields[at]?.some((field) => AMOUNTS.includes(field)) ?? false;
      const next = fields[at + 1] ?? fieldsForName(names[at + 1] ?? "").map(({ field }) => field);
      if (!isAmount || next.some((field) => AMOUNTS.includes(field))) return [];
      const isTextNext = next.length > 0 && next.every((field) => TEXTS.includes(field));
      return [{ at, isTextNext }];
    });
  }

  /** The amount before it was split; undefined if the row has no split amount. */
  find(cells: readonly string[], width: number): string | undefined {
    for (const { at, isTextNext } of this.#columns) {
      const whole = cells[at] ?? "";
      if (whole.length > WHOLE_PART_MAX_LENGTH || !WHOLE_PART.test(whole)) continue;
      const rest = cells[at + 1] ?? "";
      const isSplit =
        cells.length > width ? REST.test(rest) : isTextNext && REST_IN_TEXT.test(rest);
      if (isSplit) return `${whole},${rest}`;
    }
    return undefined;
  }
}
