import type { Values } from "../mapped-lines.ts";
import type { Mapping } from "../mapping.ts";
import type { SkipReason } from "../skip-reasons.ts";
import { beginningOf, headingStateOf, isNote, wholeStateOf } from "../words/booking-states.ts";
import { plainWords } from "../words/plain-words.ts";
import { memoizeWords } from "./memoize-words.ts";

/** Columns that name the kind of a row. */
const KIND_NAMES = /\b(?:type|typ|art|kind|tipo|soort|\p{L}+art)\b/u;

export type Unbooked = { field: string | null; problem: string; found: string; wanted: string };

/** Finds rows that may not be booked, independently of a status column. */
export class UnbookedRows {
  /** Why the rows below the last heading aren't lines. */
  #section: SkipReason | undefined;
  #hasRows = false;
  readonly #mapping: Mapping;
  #kindColumns: { name: string; at: number }[] = [];
  /**
   * Kinds and beginnings of texts have separate caches, so that many different texts don't displace
   * the kinds.
   */
  readonly #stateOf = memoizeWords(wholeStateOf);
  readonly #stateOfBeginning = memoizeWords(wholeStateOf);

  constructor(mapping: Mapping) {
    this.#mapping = mapping;
  }

  setColumns(names: readonly string[]): void {
    this.#kindColumns = names.flatMap((name, at) =>
      KIND_NAMES.test(plainWords(name)) ? [{ name, at }] : [],
    );
  }

  /**
   * Reads a row with one cell as a heading, such as "Pending transactions", or as a note below it.
   */
  readHeading(cells: readonly string[]): void {
    const [heading = "", ...others] = cells.filter((cell) => cell.trim() !== "");
    const state = others.length === 0 ? headingStateOf(heading) : undefined;
    if (state === undefined && !this.#hasRows && others.length === 0 && isNote(heading)) return;
    this.#section = state === "booked" ? undefined : state;
    this.#hasRows = false;
  }

  /** Why the rows below the last heading aren't lines; undefined if they may be. */
  sectionOf(cells: readonly string[]): SkipReason | undefined {
    if (this.#section) this.#hasRows ||= cells.filter((cell) => cell.trim() !== "").length > 1;
    return this.#section;
  }

  /** Why a row may not be booked; undefined if nothing says so. */
  find(values: Values, cells: readonly string[]): Unbooked | undefined {
    if (this.#isUndated(values))
      return {
        field: "booked_date",
        problem: "The row has no booking date, so it may not be booked yet.",
        found: values.value_date ?? "",
        wanted: "a booking date, or a mapping without one",
      };
    const reserved = this.#mapping.status ? undefined : this.#reservedBy(values, cells);
    return (
      reserved && {
        ...reserved,
        problem: "The row may not be booked.",
        wanted: "a booked row, or a mapping whose status says if it is booked",
      }
    );
  }

  /** Whether a row has a value date but no booking date, as reserved rows do. */
  #isUndated(values: Values): boolean {
    const { booked_date, value_date } = this.#mapping.fields;
    return (
      booked_date !== undefined &&
      booked_date !== value_date &&
      values.booked_date === undefined &&
      values.value_date !== undefined
    );
  }

  #reservedBy(
    values: Values,
    cells: readonly string[],
  ): Pick<Unbooked, "field" | "found"> | undefined {
    for (const { name, at } of this.#kindColumns) {
      const found = (cells[at] ?? "").trim();
      const state = this.#stateOf(found);
      if (state === "pending" || state === "declined") return { field: name, found };
    }
    const text = values.description ?? values.counterparty ?? "";
    const beginning = beginningOf(text);
    return beginning !== undefined && this.#stateOfBeginning(beginning) === "pending"
      ? { field: "description", found: text }
      : undefined;
  }
}
