import { decimalsOf } from "./currencies.ts";
import { withoutInvisible } from "./invisible-marks.ts";

/** Symbols that people write with amounts, and the currencies that they may mean. */
const SYMBOLS = new Map<string, readonly string[]>(
  Object.entries({
    "€": "EUR",
    EURO: "EUR",
    $: "USD CAD AUD NZD SGD HKD MXN ARS CLP COP TWD BRL",
    US$: "USD",
    C$: "CAD",
    CA$: "CAD",
    A$: "AUD",
    AU$: "AUD",
    NZ$: "NZD",
    HK$: "HKD",
    S$: "SGD",
    MX$: "MXN",
    R$: "BRL",
    "£": "GBP EGP GIP",
    "¥": "JPY CNY",
    "₹": "INR",
    "₩": "KRW",
    "₺": "TRY",
    "₽": "RUB",
    "₴": "UAH",
    "₪": "ILS",
    "฿": "THB",
    "₫": "VND",
    "₱": "PHP",
    "₦": "NGN",
    ZŁ: "PLN",
    KČ: "CZK",
    FT: "HUF",
    KR: "SEK NOK DKK ISK",
    FR: "CHF",
    SFR: "CHF",
    LEI: "RON",
    ЛВ: "BGN",
    RM: "MYR",
    RS: "INR PKR LKR",
  }).map(([symbol, codes]) => [symbol, codes.split(" ")] as const),
);

const DEBIT = new Set(["DR", "DB", "D", "DEBIT", "DBIT", "S", "SOLL"]);
const CREDIT = new Set(["CR", "C", "CREDIT", "CRDT", "H", "HABEN"]);
const IN_BRACKETS = /\(\s*(\p{L}{1,6})\.?\s*\)/gu;
const TOKEN =
  /\s+|[-+()\u2010-\u2014\u2212\u25B2\u25B3\uFE63\uFF0B\uFF0D]|(\p{L}*\p{Sc})|(\p{L}+)\.?/uy;
const MAX_LENGTH = 60;

export type AmountMarks = {
  /** The digits, from the first (or the decimal separator before it) to the last. */
  body: string;
  negative: boolean;
  /** Whether the amount has a sign, brackets, CR or DR. */
  signed: boolean;
  side: "debit" | "credit" | null;
  /** The currencies that its code or symbol can mean; null without one. */
  currencies: readonly string[] | null;
};

/**
 * Parses the marks around an amount's digits. Undefined for two signs, two currencies, or anything
 * unknown.
 */
export function amountMarks(written: string): AmountMarks | undefined {
  const text = withoutInvisible(written);
  const first = startOfDigits(text);
  if (first === undefined) return undefined;
  let last = text.length - 1;
  while (!isDigit(text.charCodeAt(last))) last--;
  const around = [text.slice(0, first), text.slice(last + 1)];
  if (around.some((part) => part.length > MAX_LENGTH)) return undefined;
  const found = { signs: 0, open: 0, closed: 0, negative: false };
  let side: AmountMarks["side"] = null;
  let currencies: readonly string[] | null = null;
  for (const [index, part] of around.entries()) {
    const bare = part.replace(IN_BRACKETS, (whole, word: string) =>
      sideOf(word) ? ` ${word} ` : whole,
    );
    TOKEN.lastIndex = 0;
    for (let at = 0; at < bare.length; at = TOKEN.lastIndex) {
      const token = TOKEN.exec(bare);
      if (!token) return undefined;
      const mark = token[1] ?? token[2];
      if (mark !== undefined) {
        const named = sideOf(mark);
        const codes = named ? null : currenciesOf(mark);
        if (named) {
          if (side) return undefined;
          side = named;
        } else if (codes && currencies === null) currencies = codes;
        else return undefined;
      } else if (token[0] === "(") {
        if (index === 1 || found.open++ > 0) return undefined;
      } else if (token[0] === ")") {
        if (index === 0 || found.closed++ > 0) return undefined;
      } else if (token[0].trim() !== "") {
        found.signs++;
        found.negative = !/[+\uFF0B]/.test(token[0]);
      }
    }
  }
  if (found.open !== found.closed) return undefined;
  if (found.signs + found.open + (side ? 1 : 0) > 1) return undefined;
  return {
    body: text.slice(first, last + 1),
    negative: found.negative || found.open > 0 || side === "debit",
    signed: found.signs + found.open > 0 || side !== null,
    side,
    currencies,
  };
}

/** The currencies that a code or symbol can mean; null if it is neither. */
export function currenciesOf(name: string): readonly string[] | null {
  const upper = name.toUpperCase().replace(/\.$/, "");
  if (decimalsOf(upper) !== undefined) return [upper];
  return SYMBOLS.get(upper) ?? null;
}

function sideOf(word: string): "debit" | "credit" | null {
  const upper = word.toUpperCase();
  if (DEBIT.has(upper)) return "debit";
  return CREDIT.has(upper) ? "credit" : null;
}

/** The point of "kr.50" belongs to the word; that of "EUR.50" may be either. */
function startOfDigits(text: string): number | undefined {
  const found = /[.,]?\d/.exec(text);
  if (!found) return undefined;
  const { index } = found;
  if (isDigit(text.charCodeAt(index))) {
    // In "S1001", the letter belongs to a number and is no side.
    return /(?:^|[^\p{L}])[DCSH]$/u.test(text.slice(0, index)) ? undefined : index;
  }
  const word = /\p{L}+$/u.exec(text.slice(Math.max(0, index - MAX_LENGTH), index))?.[0];
  if (word === undefined) return index;
  return text[index] === "." && decimalsOf(word.toUpperCase()) === undefined
    ? index + 1
    : undefined;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}
