import { amountMarks, currenciesOf } from "../../../../wire/amount-marks.ts";
import { decimalsOf } from "../../../../wire/currencies.ts";
import { plainWords } from "../../words/plain-words.ts";
import { fieldsForName } from "../csv-words.ts";
import type { Evidence } from "./evidence.ts";

const FOREIGN_NAMES =
  /\borig|foreign|fremd|exchange|etrang|extranj|estera|estrang|vreemd|utland|fee|gebuhr|customer|instructed|local/;

export function findCurrency(evidence: Evidence): void {
  const { fields } = evidence.mapping;
  if (fields.currency !== undefined || evidence.mapping.currency !== undefined) return;
  const header = fields.amount ?? fields.debit ?? fields.credit ?? "";
  const inHeader = headerCurrency(header);
  if (inHeader !== null) {
    evidence.mapping = { ...evidence.mapping, currency: inHeader };
    return;
  }
  const filled = evidence
    .unmapped("currency")
    .filter(
      ({ name, cells, all }) =>
        cells.length === all.length &&
        !/^[a-z]/.test(cells[0] ?? "") &&
        !FOREIGN_NAMES.test(plainWords(name)),
    );
  const [column, ...others] = filled;
  if (column) {
    if (others.every(({ all }) => all.every((cell, at) => cell === column.all[at]))) {
      evidence.mapping = { ...evidence.mapping, fields: { ...fields, currency: column.name } };
      return;
    }
    const differing = column.all.findIndex((cell, at) =>
      others.some(({ all }) => all[at] !== cell),
    );
    evidence.questions.push({
      about: "fields.currency",
      message: "Which column is the currency of the amount?",
      example: null,
      choices: filled.map(({ name, all }) => ({ value: name, reads_as: all[differing] ?? null })),
    });
    return;
  }
  const named = preambleCurrency(evidence);
  if (named !== null) evidence.mapping = { ...evidence.mapping, currency: named };
  else askSymbol(evidence, header);
}

/** The currency stated above the table, as in "Currency: CHF", in one cell or in two. */
function preambleCurrency(evidence: Evidence): string | null {
  for (const { cells } of evidence.table.preamble) {
    const words = cells
      .join(" ")
      .trim()
      .split(/[\s:;,]+/);
    const label = words.findIndex((word) =>
      fieldsForName(word).some(({ field }) => field === "currency"),
    );
    const code = words[label + 1] ?? "";
    if (label >= 0 && /^[A-Z]{3}$/.test(code) && decimalsOf(code) !== undefined) return code;
  }
  return null;
}

/** Asks about a symbol such as $ or kr, which several currencies use. */
function askSymbol(evidence: Evidence, header: string): void {
  const { amount, debit, credit } = evidence.mapping.fields;
  const cells = [amount, debit, credit].flatMap((name) => evidence.column(name)?.cells ?? []);
  for (const cell of [header, ...cells]) {
    if (/^-?[\d.,]+$/.test(cell)) continue;
    const codes = cell === header ? symbolIn(header) : amountMarks(cell)?.currencies;
    if (!codes || codes.length === 1 || codes[0] === "GBP") continue;
    if (evidence.currency === undefined || codes.includes(evidence.currency)) return;
    evidence.questions.push({
      about: "currency",
      message: `"${cell}" can be in more than one currency. Which is it?`,
      example: cell,
      choices: codes.map((value) => ({ value, reads_as: `${cell} in ${value}` })),
    });
    return;
  }
}

/** The currency in the amount column's header, as in "Bedrag (EUR)". */
export function headerCurrency(name: string): string | null {
  const code = plainWords(name).toUpperCase().split(" ").at(-1) ?? "";
  if (decimalsOf(code) !== undefined) return code;
  const codes = symbolIn(name);
  return codes && (codes.length === 1 || codes[0] === "GBP") ? (codes[0] ?? null) : null;
}

function symbolIn(name: string): readonly string[] | null {
  const symbol = /\p{Lu}{0,2}\p{Sc}/u.exec(name)?.[0];
  return symbol === undefined ? null : currenciesOf(symbol);
}
