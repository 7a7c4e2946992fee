/** Texts that only name a balance or a total, in any word order and language. */
import { decimalsOf } from "../../../wire/currencies.ts";
import { plainWords } from "./plain-words.ts";

const LABEL_MAX_LENGTH = 60;

const BALANCES = wordsOf(`balance balances bal saldo saldos solde kontostand tagessaldo
  buchungssaldo zwischensaldo abschlusssaldo tagesendsaldo egyenleg zustatek zostatok likutis atlikums
  bakiye bakiyesi stanje υπολοιπο остаток залишок 残高 余额 結餘 잔액 יתרה`);
const TOTALS =
  wordsOf(`total totals subtotal sum summe gesamt gesamtsumme zwischensumme totale totales
  totaux totaal somme suma soma razem celkem osszesen yhteensa συνολο итого всего 合計 小計 合计 합계`);
/** Words that qualify a balance or a total. */
const QUALIFIERS =
  wordsOf(`a al am as at au b brought by c carried d da date datum de del des di dia do
  du e el em en end f fecha fin final finale for forward from giorno il in jour la le les mes mois month
  monthly monat of on op per period periodo the to tot vom von zum account konto compte conta conto
  cuenta rekening actual actueel aktuell aktueller aktuelt anterieur anterior atual alter ancien
  apertura available begin beginning beschikbaar book booked buchungs cierre cleared closing comptable
  contabil contabile contable crediteur current daily debiteur disponibel disponibelt disponibile
  disponible disponivel eind ending eod fechamento final finale ingaende inicial initial iniziale last
  ledger neuer new nieuw nouveau opening precedent precedente previous prior real running start
  starting statement tillgangligt today uberzogen utgaende verfugbar verfugbarer vorig week weekly
  year yearly jahr ano annee anno
  gross grand net debit debits credit credits payments receipts deposits withdrawals movements
  mouvements movimentos movimientos movimenti operations operaciones operazioni transactions
  umsatze buchungen belastungen gutschriften ausgaben einnahmen entries lines amount amounts change
  movement der die das`);
const MONTH =
  /^(?:jan|feb|fev|mar|apr|avr|ma[iy]|jun|jui|jul|aug|aou|ago|sep|set|o[ck]t|ott|out|nov|de[cz]|dic)\p{L}*$/u;
/** Numbers longer than those in a date are references. */
const REFERENCE = /\d{5}/;
/**
 * Parts of the words for balances and totals. Most texts lack them, and needn't be split into
 * words.
 */
const MAY_BE_LABEL =
  /sal|sol|bal|kontost|bestand|tot|su[mb]|som|gesamt|zwisch|razem|celk|sszes|yht|egyen|z[ůuoô]st|likut|atlik|bakiy|stanj|s a l d o|\bnet |[\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Han}\p{Script=Hangul}\p{Script=Hebrew}]/iu;

export type SummaryLabel = {
  kind: "balance" | "total";
  /**
   * Whether it is a single word, which people also write about payments, such as the rest of an
   * invoice.
   */
  isOneWord: boolean;
};

/** The balance or total that a text names; undefined if it has any other word. */
export function summaryLabel(text: string): SummaryLabel | undefined {
  if (text.length > LABEL_MAX_LENGTH || REFERENCE.test(text)) return undefined;
  if (!MAY_BE_LABEL.test(text)) return undefined;
  const words = joinedLetters(plainWords(text)).split(" ");
  const numbers = words.filter((word) => /^\d+$/.test(word));
  const named = words.filter((word) => !/^\d+$/.test(word));
  const hasMonth = named.some((word) => MONTH.test(word));
  if (numbers.length > 0 && !isDate(numbers, hasMonth)) return undefined;
  const isBalance = named.some((word) => BALANCES.has(word));
  const isTotal =
    named.some((word) => TOTALS.has(word)) || /\bnet (?:change|movement)\b/.test(words.join(" "));
  if (!isBalance && !isTotal) return undefined;
  const isWhole = named.every(
    (word) =>
      BALANCES.has(word) ||
      TOTALS.has(word) ||
      QUALIFIERS.has(word) ||
      MONTH.test(word) ||
      decimalsOf(word.toUpperCase()) !== undefined,
  );
  return isWhole
    ? { kind: isBalance ? "balance" : "total", isOneWord: words.length === 1 }
    : undefined;
}

/** Joins spaced letters, as in "S A L D O". */
function joinedLetters(plain: string): string {
  return /^\p{L}(?: \p{L}){2,}$/u.test(plain) ? plain.replaceAll(" ", "") : plain;
}

/** Whether the numbers are a year, a day of a month, or a date. */
function isDate(numbers: readonly string[], hasMonth: boolean): boolean {
  const years = numbers.filter((number) => /^(?:19|20)\d\d$/.test(number));
  const others = numbers.filter((number) => !years.includes(number));
  if (years.length > 1 || others.some((number) => number.length > 2)) return false;
  if (others.length === 0) return true;
  return others.length === 1 ? hasMonth : others.length <= 3 - years.length;
}

function wordsOf(list: string): ReadonlySet<string> {
  return new Set(list.split(/\s+/).map(plainWords));
}
