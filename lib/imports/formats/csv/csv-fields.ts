import { amountMarks } from "../../../wire/amount-marks.ts";
import type { MappedField, Mapping } from "../mapping.ts";
import { looksLikeAmount } from "./csv-layout.ts";
import { MAX_COMPARED_ROWS, thousandthsOf } from "./csv-steps.ts";
import type { Column, ColumnKind, Table } from "./csv-table.ts";
import { fieldsForName } from "./csv-words.ts";

/**
 * The kinds of values that a field may have: "Valuta" is a date in German and a currency in Dutch.
 */
const KINDS: Record<MappedField, ColumnKind[]> = {
  amount: ["amount"],
  amount_minor: ["amount"],
  debit: ["amount", "empty"],
  credit: ["amount", "empty"],
  sign: ["sign"],
  fee: ["amount", "empty"],
  fee_minor: ["amount", "empty"],
  currency: ["currency"],
  value_date: ["date"],
  booked_date: ["date"],
  reference: ["text", "amount", "date", "sign", "currency", "empty"],
  counterparty: ["text", "empty", "sign", "currency"],
  description: ["text", "empty", "amount", "sign", "currency"],
  group_key: ["text", "amount", "empty"],
  external_id: ["text", "amount", "date"],
};
/** How many names of currency columns, likeliest first, don't state whose currency it is. */
const PLAIN_CURRENCY_NAMES = 9;
/** The text that a spreadsheet writes for a formula that failed or was never computed. */
const ERROR = /^(?:#|=|Err:\d)/;
export const AMOUNTS = ["amount", "debit", "credit"] as const;
export const DATES = ["value_date", "booked_date"] as const;

export type Proposal = {
  fields: Mapping["fields"];
  fee_sign?: Mapping["fee_sign"];
  /** Columns that may all be the amount, so that a person decides. */
  amounts: string[];
};

/** Maps fields by the columns' names, preferring filled columns to empty ones. */
export function proposeFields(table: Table): Proposal {
  const { columns, rows } = table;
  const isBlank = rows.length === 0;
  const candidates = columns
    .flatMap((column) => fieldsForName(column.name).map((named) => ({ ...named, column })))
    .filter(
      ({ field, column }) =>
        isBlank ||
        KINDS[field].includes(column.kind) ||
        (field === "currency" && hasCodes(column)) ||
        (isSide(field) && hasErrors(column)),
    )
    .sort(
      (left, right) =>
        Number(left.column.kind === "empty") - Number(right.column.kind === "empty") ||
        left.rank - right.rank ||
        left.column.at - right.column.at,
    );
  const fields: Mapping["fields"] = {};
  const taken = new Set<string>();
  for (const { field, column } of candidates) {
    if (fields[field] !== undefined || taken.has(column.name)) continue;
    fields[field] = column.name;
    taken.add(column.name);
  }
  const cellsOf = (name: string | undefined) =>
    columns.find((column) => column.name === name)?.cells ?? [];
  if (hasOtherCurrency(candidates, fields.currency)) delete fields.currency;
  const ids = cellsOf(fields.external_id);
  if (new Set(ids).size < ids.length) delete fields.external_id;
  const isEmptyPair = cellsOf(fields.debit).length + cellsOf(fields.credit).length === 0;
  const pair =
    fields.debit !== undefined &&
    fields.credit !== undefined &&
    (isBlank || fields.amount === undefined || !isEmptyPair);
  // Debit and credit columns take precedence over an amount column; one without the other is
  // ignored.
  if (pair) delete fields.amount;
  else if (fields.amount) {
    delete fields.debit;
    delete fields.credit;
  }
  const isSigned = cellsOf(fields.amount).some((cell) => amountMarks(cell)?.negative);
  if (!fields.amount || isSigned) delete fields.sign;
  if (isBlank || pair) return { fields, amounts: [] };
  return withOneAmount(columns, fields);
}

/**
 * Whether a table has a second column of currencies that differs from the mapped one, as with the
 * currency of the payment and of the account, and no column that is just called currency.
 */
function hasOtherCurrency(
  candidates: readonly { field: MappedField; rank: number; column: Column }[],
  mapped: string | undefined,
): boolean {
  const currencies = candidates.filter(({ field }) => field === "currency");
  const candidate = currencies.find(({ column }) => column.name === mapped);
  if (!candidate || candidate.rank < PLAIN_CURRENCY_NAMES) return false;
  return currencies.some(({ column: { all } }) =>
    all.some((cell, row) => cell !== "" && cell !== candidate.column.all[row]),
  );
}

function isSide(field: MappedField): boolean {
  return field === "debit" || field === "credit";
}

/**
 * Whether a column has errors such as #REF! among its amounts. It stays mapped, because its rows
 * would otherwise be read by the other column alone.
 */
function hasErrors({ kind, cells }: Column): boolean {
  return kind === "text" && cells.every((cell) => ERROR.test(cell) || looksLikeAmount(cell));
}

/**
 * Whether a column has codes of three letters. Those of obsolete currencies are mapped, too, so
 * that their rows are refused instead of being read in the source's currency.
 */
function hasCodes({ kind, cells }: Column): boolean {
  return kind === "text" && cells.every((cell) => /^[A-Z]{3}$/.test(cell));
}

/**
 * Chooses among columns such as gross, net and total, which are all amounts: by a fee that explains
 * the difference in the rows, otherwise a person decides.
 */
function withOneAmount(columns: readonly Column[], fields: Mapping["fields"]): Proposal {
  const amounts = columns.filter(
    ({ name, kind }) =>
      kind === "amount" &&
      // The second column with the same name is called "Amount (2)".
      fieldsForName(name.replace(/ \(\d+\)$/, "")).some(({ field }) => field === "amount"),
  );
  if (!fields.amount || amounts.length < 2) return { fields, amounts: [] };
  if (amounts.every(({ all }) => all.every((cell, at) => cell === amounts[0]?.all[at])))
    return { fields, amounts: [] };
  for (const fee of columns.filter(({ kind }) => kind === "amount")) {
    for (const gross of amounts) {
      for (const net of amounts) {
        if (gross === net || fee === gross || fee === net) continue;
        const fee_sign = feeSignOf(gross, fee, net);
        if (fee_sign === undefined) continue;
        return {
          fields: { ...fields, amount: gross.name, fee: fee.name },
          ...(fee_sign === "minus" && { fee_sign }),
          amounts: [],
        };
      }
    }
  }
  delete fields.amount;
  return { fields, amounts: amounts.map(({ name }) => name) };
}

/**
 * The sign of the fee if net is gross less fee in each row; undefined if it isn't, or the fee is
 * always zero.
 */
function feeSignOf(gross: Column, fee: Column, net: Column): "plus" | "minus" | undefined {
  let plus = true;
  let minus = true;
  let isFound = false;
  for (let row = 0; row < Math.min(gross.all.length, MAX_COMPARED_ROWS); row++) {
    const [before = 0, cost = 0, after = 0] = [gross, fee, net].map(({ all }) => sizeAt(all, row));
    if (Number.isNaN(before + cost + after)) return undefined;
    if (cost !== 0) isFound = true;
    plus &&= before - cost === after;
    minus &&= before + cost === after;
  }
  if (!isFound || (!plus && !minus)) return undefined;
  return plus ? "plus" : "minus";
}

/** The amount in a row, in thousandths; a blank is zero. */
function sizeAt(all: readonly string[], row: number): number {
  const cell = all[row] ?? "";
  return cell === "" ? 0 : thousandthsOf(cell);
}

/** The columns mapped to these fields; if there are none, all columns of this kind. */
export function columnsOf(
  table: Table,
  mapping: Mapping,
  fields: readonly MappedField[],
  kind: ColumnKind,
): Column[] {
  const named = table.columns.filter(({ name }) =>
    fields.some((field) => mapping.fields[field] === name),
  );
  return named.length > 0 ? named : table.columns.filter((one) => one.kind === kind);
}

/** The cells of the columns from `columnsOf`. */
export function cellsOf(
  table: Table,
  mapping: Mapping,
  fields: readonly MappedField[],
  kind: ColumnKind,
): string[] {
  return columnsOf(table, mapping, fields, kind).flatMap(({ cells }) => cells);
}
