import { amountMarks } from "../../../wire/amount-marks.ts";

type Condition = { operator: string; limit: number };
/** One section of a format, and what it shows beyond a number's value. */
type Section = {
  condition: Condition | null;
  currency: string;
  side: "debit" | "credit" | null;
  hasMinus: boolean;
  isPercent: boolean;
  /** The number of digits to which whole numbers are padded with zeros; 0 if they aren't. */
  digits: number;
};
export type NumberFormat = readonly Section[];

/** The built-in formats that are percentages, which have a number instead of a code. */
const PERCENTAGES = new Map([
  ["9", "0%"],
  ["10", "0.00%"],
]);
const TOKEN = /"([^"]*)"|\\(.)|[_*].|\[\$([^\]-]*)[^\]]*\]|\[([^\]]*)\]|(.)/gsu;
const DIGIT = /^[0#?]$/;
/**
 * Excel's limit. It bounds the search for the ends of quotations and brackets, which takes
 * quadratic time.
 */
const CODE_MAX_LENGTH = 255;

/**
 * Parses a number format that shows more than digits, such as `0.00" Dr"` or `[$€-407] #,##0.00`:
 * some programs store debits as positive values, or a currency, so that only the format shows them.
 * Null for other formats.
 */
export function markingFormat(idOrCode: string): NumberFormat | null {
  if (idOrCode.length > CODE_MAX_LENGTH) return null;
  const sections = sectionsOf(PERCENTAGES.get(idOrCode) ?? idOrCode);
  const isPlain = sections.every(
    ({ currency, side, hasMinus, isPercent, digits }) =>
      currency === "" && side === null && !hasMinus && !isPercent && digits < 2,
  );
  return isPlain ? null : sections;
}

/**
 * A number with its marks, as people write it. If the marks contradict its sign, or it is a
 * percentage, the text can't be read as an amount and is refused.
 */
export function withMarks(number: string, format: NumberFormat): string {
  const section = sectionFor(Number(number), format);
  if (!section) return number;
  const { currency, side, hasMinus, isPercent, digits } = section;
  if (isPercent) return `${number}%`;
  if (digits > 1 && /^\d+$/.test(number)) return number.padStart(digits, "0");
  const isNegative = number.startsWith("-");
  let text = number;
  if (side === "debit") text = `${isNegative ? number.slice(1) : number} DR`;
  else if (side === "credit") text = `${number} CR`;
  else if (hasMinus && Number(number) > 0) text = `-${number}`;
  else if (isNegative && sectionFor(1, format)?.hasMinus) {
    // Excel adds a minus if no section is for negative numbers.
    if (section === sectionFor(1, format)) text = `-${number}`;
    else if (!hasMinus) text = number.slice(1);
  }
  return currency === "" ? text : `${text} ${currency}`;
}

/**
 * Sections apply to positive numbers, negative numbers and zero, in this order, unless they state
 * conditions.
 */
function sectionFor(value: number, format: NumberFormat): Section | undefined {
  if (format.some(({ condition }) => condition !== null))
    return format.find(({ condition }) => !condition || holds(value, condition)) ?? format.at(-1);
  const nth = value > 0 ? 0 : value < 0 ? 1 : 2;
  return format[nth] ?? format[0];
}

function holds(value: number, { operator, limit }: Condition): boolean {
  if (operator === "=") return value === limit;
  if (operator === "<>") return value !== limit;
  return (
    (operator.includes("=") && value === limit) ||
    (operator.startsWith("<") ? value < limit : value > limit)
  );
}

function sectionsOf(code: string): Section[] {
  let words: string[] = [""];
  let condition: Condition | null = null;
  const sections: Section[] = [];
  const endSection = () => {
    sections.push(sectionOf(words, condition));
    words = [""];
    condition = null;
  };
  for (const [, quoted, escaped, currency, bracket, bare] of code.matchAll(TOKEN)) {
    const literal = quoted ?? escaped;
    if (bare === ";") endSection();
    else if (bracket !== undefined) condition = conditionOf(bracket) ?? condition;
    else if (currency !== undefined) words.push(currency, "");
    else if (literal !== undefined || (bare !== undefined && /[\p{L}\p{Sc}.]/u.test(bare)))
      words.push(`${words.pop()}${literal ?? bare}`);
    else if (bare !== undefined) words.push(bare, "");
  }
  endSection();
  return sections;
}

function conditionOf(bracket: string): Condition | null {
  const [, operator = "", limit] = /^([<>=]{1,2})(-?[\d.]+)$/.exec(bracket) ?? [];
  return limit === undefined ? null : { operator, limit: Number(limit) };
}

function sectionOf(written: readonly string[], condition: Condition | null): Section {
  const words = written.flatMap((word) => word.split(/([-\u2212()%])|\s+/)).filter(Boolean);
  const first = words.findIndex((word) => DIGIT.test(word));
  const last = words.findLastIndex((word) => DIGIT.test(word));
  const around = [...words.slice(0, Math.max(0, first)), ...words.slice(last + 1)];
  const marks = around.map((word) => ({ word, ...amountMarks(`1 ${word}`) }));
  // A format such as "S-"0000 is for document numbers.
  const isMoney = /[.,]/.test(words.slice(first, last + 1).join(""));
  const hasMinus =
    around.some((word) => /^[-\u2212]$/.test(word)) ||
    (around.includes("(") && around.includes(")"));
  return {
    condition,
    currency: marks.find(({ currencies }) => currencies)?.word ?? "",
    side: (isMoney && marks.find(({ side }) => side)?.side) || null,
    hasMinus: isMoney && hasMinus,
    isPercent: words.includes("%"),
    digits: words.every((word) => word === "0") ? words.length : 0,
  };
}
