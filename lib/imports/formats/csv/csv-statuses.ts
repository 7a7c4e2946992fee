import { bookingStateOf, wholeStateOf } from "../words/booking-states.ts";
import { plainWords } from "../words/plain-words.ts";

/**
 * Names of status columns. `State` and the like also name parts of addresses: their values must be
 * known.
 */
const STATUS_NAMES =
  /\b(?:status|statut|estado|estatus|stato|zustand|\w+status|stav|tila|situacao|allapot|durum\w*|stare)\b|статус|состояние|κατασταση|状态|状況|ステータス/;
const ADDRESS_NAMES = /\b(?:state|etat|stan)\b/;
const YES = new Set("yes y true 1 x ja j oui o si s sim sí".split(" "));
const NO = new Set(" no n false 0 nein non nee nej nei não nao".split(" "));
/** Names of columns that flag canceled rows, or rows that cancel others. */
const REVERSAL_NAMES =
  /^(?:stor[nm](?:o|iert|ert|eret|erad|ato|ata|owan[ea]|o kz|okennzeichen|obuchung)|reversal|reversed|reverse|generalumkehr|extourne|extournee|contrepassation|estorno|estornad[oa]|extorno|retrocesion|anulacion|annulation|tilbagefort|tilbakefort|aterford|teruggeboekt|terugboeking|peruutus|sztorno|stornirano)(?: (?:flag|indicator|kz|kennzeichen))?$/;

export type StatusColumn = { booked: string[]; not_booked: string[]; unknown: string[] };

/**
 * Sorts the values of a status column by whether they mean booked. A column has statuses if its
 * name says so, or if each value says whether a row is booked. Null for any other column.
 */
export function statusColumn(name: string, cells: readonly string[]): StatusColumn | null {
  const plain = plainWords(name);
  const values = [...new Set(cells)];
  const filled = values.filter((value) => value !== "");
  if (filled.length === 0 || filled.length > 12) return null;
  const flag = flagColumn(plain, values);
  if (flag) return flag;
  const found: StatusColumn = { booked: [], not_booked: [], unknown: [] };
  for (const value of filled) {
    const state = bookingStateOf(value);
    if (state === undefined) found.unknown.push(value);
    else found[state === "booked" ? "booked" : "not_booked"].push(value);
  }
  const isKnown = found.booked.length + found.not_booked.length > 0;
  const isNamed = STATUS_NAMES.test(plain);
  if (isNamed || (isKnown && ADDRESS_NAMES.test(plain))) {
    if (!isKnown && filled.length === 1) return null;
  } else if (found.not_booked.length === 0 || found.unknown.length > 0) return null;
  if (values.includes("")) {
    // In a status column whose words all mean unbooked, a blank means booked. Next to words of both
    // meanings, it is unknown.
    if (found.booked.length === 0 && isNamed) found.booked.push("");
    else if (found.not_booked.length > 0) found.unknown.push("");
    else found.booked.push("");
  }
  return found;
}

export function isStatusName(column: string): boolean {
  return STATUS_NAMES.test(plainWords(column));
}

/** A column called `Pending`, `Booked` or `Storno` with yes or no. */
function flagColumn(column: string, values: readonly string[]): StatusColumn | null {
  const name = column.replace(/^is /, "");
  const isReversal = REVERSAL_NAMES.test(name);
  const state = name === "reconciled" ? undefined : wholeStateOf(name);
  if (state === undefined && !isReversal) return null;
  const yes = values.filter((value) => YES.has(value.toLowerCase()));
  const no = values.filter((value) => NO.has(value.toLowerCase()));
  if (yes.length + no.length < values.length) return null;
  // The row may have been canceled, or may cancel another one.
  if (isReversal) return { booked: no, not_booked: [], unknown: yes };
  return state === "booked"
    ? { booked: yes, not_booked: no, unknown: [] }
    : { booked: no, not_booked: yes, unknown: [] };
}
