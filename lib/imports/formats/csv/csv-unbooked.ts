import type { Values } from "../mapped-lines.ts";
import type { Mapping } from "../mapping.ts";
import type { SkipReason } from "../skip-reasons.ts";
import { beginningOf, headingStateOf, isNote, wholeStateOf } from "../words/booking-states.ts";
import { plainWords } from "../words/plain-words.ts";
import { knownWords } from "./known-words.ts";

/** Columns that name the kind of a row. */
const KIND_NAMES = /\b(?:type|typ|art|kind|tipo|soort|\p{L}+art)\b/u;

export type Unbooked = { field: string | null; problem: string; found: string; wanted: string };

/** Finds rows that may not be booked, whatever a column of statuses says. */
export class UnbookedRows {
  /** What the last heading said about the rows below it. */
  #section: SkipReason | undefined;
  #hasRows = false;
  readonly #mapping: Mapping;
  #kinds: { name: string; at: number }[] = [];
  /** Kinds and beginnings of texts are kept apart, so that the many texts don't crowd out kinds. */
  readonly #stateOf = knownWords(wholeStateOf);
  readonly #stateOfBeginning = knownWords(wholeStateOf);

  constructor(mapping: Mapping) {
    this.#mapping = mapping;
  }

  lay(names: readonly string[]): void {
    this.#kinds = names.flatMap((name, at) =>
      KIND_NAMES.test(plainWords(name)) ? [{ name, at }] : [],
    );
  }

  /** Reads a row of one cell as a heading, such as "Pending transactions", or as a note below it. */
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

  /** Reserved rows have the day on which they will count, and no booking date. */
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
    for (const { name, at } of this.#kinds) {
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
