import { refuseFile } from "../refusal.ts";
import type { CellKind } from "./sheet-values.ts";

const WRITTEN_DAY = /^(\d{1,2})([./-])(\d{1,2})\2\d{2,4}\b/;
const MONTHS = 12;

type Column = { day: string; isSwappable: boolean; text: string };

/**
 * Finds columns where a spreadsheet read days by another country's order: 10/02 became a day with
 * month and day swapped, and 15/02 stayed a text.
 */
export class SwappedDays {
  readonly #columns: Column[] = [];

  add(cells: readonly string[], kinds: readonly CellKind[]): void {
    for (let at = 0; at < cells.length; at++) {
      const cell = cells[at] ?? "";
      if (kinds[at] === "day") {
        const column = this.#at(at);
        column.day ||= cell;
        column.isSwappable &&= Number(cell.slice(8, 10)) <= MONTHS;
      } else if (WRITTEN_DAY.test(cell)) {
        const column = this.#at(at);
        column.text ||= cell;
        column.isSwappable &&= hasOneOrder(cell);
      }
    }
  }

  /** @throws FileRefused if every day could be swapped, and every text has only one valid order */
  check(name: string, at: number): void {
    const { day, isSwappable, text } = this.#columns[at] ?? newColumn();
    if (!isSwappable || day === "" || text === "") return;
    throw refuseFile(
      { line: 1 },
      null,
      `In column "${name}", a spreadsheet seems to have swapped the days and months of some dates.`,
      `${text} as text, ${day} as a date`,
      "the file as the bank wrote it",
    );
  }

  #at(at: number): Column {
    this.#columns[at] ??= newColumn();
    return this.#columns[at];
  }
}

function newColumn(): Column {
  return { day: "", isSwappable: true, text: "" };
}

function hasOneOrder(text: string): boolean {
  const [, first, , second] = WRITTEN_DAY.exec(text) ?? [];
  return Number(first) > MONTHS !== Number(second) > MONTHS;
}
