import { type DecimalSeparator, writtenAmount } from "../../../wire/money.ts";
import type { Mapping } from "../mapping.ts";
import { AMOUNTS, cellsOf } from "./csv-fields.ts";
import type { Question } from "./csv-readings.ts";
import type { Table } from "./csv-table.ts";

/**
 * Sets the decimal separator by the syntax of the amounts, or asks. It allows for three decimals,
 * so 1.234 stays open, as for a person.
 */
export function withSeparator(table: Table, mapping: Mapping, questions: Question[]): Mapping {
  if (mapping.decimal_separator !== undefined) return mapping;
  const read = (cell: string, separator: DecimalSeparator) => writtenAmount(cell, "KWD", separator);
  const bare = bareAmounts(cellsOf(table, mapping, AMOUNTS, "amount"));
  const fitting = fittingSeparators(bare);
  const [only] = fitting;
  if (fitting.length === 1)
    return only && bare.some((cell) => /[.,]/.test(cell))
      ? { ...mapping, decimal_separator: only }
      : mapping;
  const ambiguous = bare.find(
    (cell) => fitting.length === 2 && read(cell, ".") !== read(cell, ","),
  );
  if (ambiguous === undefined) return mapping;
  // The file's other amounts use the same format.
  const all = table.columns.filter(({ kind }) => kind === "amount");
  const [shared, ...rest] = fittingSeparators(bareAmounts(all.flatMap(({ cells }) => cells)));
  if (shared && rest.length === 0) return { ...mapping, decimal_separator: shared };
  questions.push({
    about: "decimal_separator",
    message: `"${ambiguous}" can be read as two amounts. Which mark stands before the decimals?`,
    example: ambiguous,
    choices: fitting.map((value) => ({
      value,
      reads_as: formatThousandths(read(ambiguous, value)),
    })),
  });
  return mapping;
}

export function bareAmounts(cells: readonly string[]): string[] {
  return cells.map((cell) =>
    /^-?[\d.,]+$/.test(cell) ? cell : cell.replace(/\(?\p{L}+\.?\)?|\p{Sc}/gu, "").trim(),
  );
}

export function fittingSeparators(bare: readonly string[]): DecimalSeparator[] {
  return ([".", ","] as const).filter((separator) =>
    bare.every((cell) => typeof writtenAmount(cell, "KWD", separator) === "number"),
  );
}

/** Minor units with three decimals, as a person writes them. */
function formatThousandths(minor: ReturnType<typeof writtenAmount>): string | null {
  if (typeof minor !== "number") return null;
  const digits = String(Math.abs(minor)).padStart(4, "0");
  const fraction = digits.slice(-3).replace(/^000$/, "");
  return `${minor < 0 ? "-" : ""}${digits.slice(0, -3)}${fraction && `.${fraction}`}`;
}
