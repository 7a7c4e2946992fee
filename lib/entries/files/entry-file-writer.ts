import { stringify } from "csv-stringify/sync";
import { CSV_LAYOUT, escapeFormula } from "../../wire/csv-injection.ts";
import { ApiError } from "../../wire/errors.ts";
import type { BatchFile, Entry, EntryBatch } from "../contract.ts";
import type { EntryFileSettings } from "../rules/contract.ts";

/** The subject of a file: entries of one currency. */
export type EntryFile = BatchFile & { batch: EntryBatch; ledger: EntryFileSettings };

/** Writes the entries of a batch in the layout of a ledger. */
export type EntryFileWriter = {
  charset: "utf-8" | "windows-1252";
  header: (file: EntryFile) => string;
  /** @throws ApiError `conflict` for an entry that the layout can't hold */
  rows: (entry: Entry, file: EntryFile) => string;
};

const REMEDY =
  "A batch doesn't change: use another format for it, and change the entry rules for later ones.";

/** The number under which a ledger stores an entry, by which it detects a second import. */
export function documentNumber({ batch }: EntryFile, { place }: Entry): string {
  return `${batch.number}/${place}`;
}

/**
 * Whether the entry debits the rule's account, to which its tax code and cost centre belong. The
 * other account is the one it is paid from.
 */
export function isAccountDebited({ difference_minor }: Entry): boolean {
  return difference_minor < 0;
}

/** A refusal that names the entry. */
export function unsuitableEntry(file: EntryFile, entry: Entry, reason: string): ApiError {
  return new ApiError("conflict", `Entry ${documentNumber(file, entry)}: ${reason}`, {
    reason: "unsuitable_entry",
  });
}

/**
 * Returns the value of a field. Refuses one that is too long for the layout or has another form.
 */
export function requireFit(
  file: EntryFile,
  entry: Entry,
  field: string,
  value: string,
  form: RegExp,
  wanted: string,
): string {
  if (form.test(value)) return value;
  throw unsuitableEntry(file, entry, `${field} "${value}" must be ${wanted}. ${REMEDY}`);
}

/** The first characters of a text that may be truncated. */
export function truncate(value: string, max: number): string {
  return [...value].slice(0, max).join("");
}

/** Minor units with exactly two decimals; null if the amount has a third. */
export function twoDecimals(minor: number, decimals: number, separator = "."): string | null {
  const cents =
    decimals <= 2 ? BigInt(minor) * 10n ** BigInt(2 - decimals) : centsOf(minor, decimals);
  if (cents === null) return null;
  const digits = `${cents}`.padStart(3, "0");
  return `${digits.slice(0, -2)}${separator}${digits.slice(-2)}`;
}

function centsOf(minor: number, decimals: number): bigint | null {
  const parts = 10n ** BigInt(decimals - 2);
  return BigInt(minor) % parts === 0n ? BigInt(minor) / parts : null;
}

/** Replaces `{D}`, `{M}` and `{Y}` by the parts of a day, with a fixed number of digits. */
export function formatDay(form: string, day: string): string {
  const [year = "", month = "", date = ""] = day.split("-");
  return form.replace("{D}", date).replace("{M}", month).replace("{Y}", year);
}

/**
 * Numbers aren't escaped as formulas, nor are `digits`, which we format, such as a signed amount.
 */
export type Cell = string | number | null | { digits: string };

/** Rows of comma-separated text (RFC 4180), with formulas escaped. */
export function csvRows(rows: readonly (readonly Cell[])[]): string {
  return stringify(
    rows.map((row) => row.map(cellText)),
    CSV_LAYOUT,
  );
}

/**
 * Rows of tab-separated text, with formulas escaped. Tabs and line ends in values become spaces.
 */
export function tabbedRows(rows: readonly (readonly Cell[])[], lineEnd = "\r\n"): string {
  return rows
    .map((row) => `${row.map((cell) => cellText(cell).replace(/[\t\r\n]/g, " ")).join("\t")}`)
    .map((row) => row + lineEnd)
    .join("");
}

function cellText(cell: Cell): string {
  if (cell === null) return "";
  if (typeof cell === "string") return escapeFormula(cell);
  return typeof cell === "number" ? `${cell}` : cell.digits;
}
