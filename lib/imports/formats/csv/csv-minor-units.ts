import type { Mapping } from "../mapping.ts";
import { refuseFile } from "../refusal.ts";
import { plainWords } from "../words/plain-words.ts";
import type { Column, Table } from "./csv-table.ts";

const MINOR_NAMES =
  /\b(?:cents?|minor|pence|centimes?|centimos|centavos|centesimi|rappen|ore|oere|grosze|groszy|haleru|filler|kopeks?|paise|paisa|sen|fils|agorot|bani|kurus)\b/;
const THOUSANDS = /\b(?:thousands?|tsd|teur|keur|tausend|milliers|000s)\b/;
const PAIRS = [
  ["amount", "amount_minor"],
  ["fee", "fee_minor"],
] as const;

/**
 * Maps a column as an amount in minor units if its name says cents, such as `amount_cents`, and it
 * has only integers.
 * @throws FileRefused for debits and credits in minor units, which no field of a mapping has, and
 *   for thousands
 */
export function withMinorUnits(table: Table, mapping: Mapping): Mapping {
  const fields = { ...mapping.fields };
  const isMinor = (name: string | undefined) =>
    table.columns.some((column) => column.name === name && hasMinorUnits(column));
  for (const [major, minor] of PAIRS) {
    const name = fields[major];
    if (!isMinor(name)) continue;
    delete fields[major];
    fields[minor] = name;
  }
  const scaled = Object.values(fields).find((name) => THOUSANDS.test(plainWords(name)));
  if (scaled)
    throw refuseFile(
      { line: table.headerLine ?? 1 },
      "amount",
      "Amounts in thousands are rounded, so they can't be matched.",
      scaled,
      "amounts to the cent",
    );
  const pair = (["debit", "credit"] as const).find((field) => isMinor(fields[field]));
  if (pair)
    throw refuseFile(
      { line: table.headerLine ?? 1 },
      pair,
      "Debits and credits in minor units can't be read.",
      fields[pair] ?? "",
      "one column of amounts in minor units, or columns of amounts with decimals",
    );
  return { ...mapping, fields };
}

/** Whether a column's name says cents, and it has only integers. */
export function hasMinorUnits({ name, cells }: Column): boolean {
  const words = plainWords(name.replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2"));
  return MINOR_NAMES.test(words) && cells.every((cell) => /^[-+]?\d+$/.test(cell));
}
