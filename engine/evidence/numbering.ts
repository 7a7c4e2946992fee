/**
 * How the numbers of two sides are written. Numbers of one kind that differ name different things;
 * a bank's own number next to an invoice's says nothing. Which kinds both sides have is counted;
 * for a handful of lines it is unknown, and any two may be rivals.
 */
import { withCheckDigits, withoutCheckDigits } from "../prepare/check-digits.ts";
import { isNumber } from "../prepare/digits.ts";
import { bareFormsOf, digitsIn, identifierOf, isDate } from "../prepare/identifiers.ts";
import type { SideTexts, Texts } from "../prepare/texts.ts";
import { opposite, type Side } from "../side.ts";

/** With fewer references on a side nothing is known of how it writes them. */
const FEW = 20;
/** A number of more lines of a side than this names none of them. */
const MAX_LINES = 2;
const MIN_DIGITS = 4;
const MAX_NUMBERS = 2;
/** Lines of a side whose references are counted. */
const LOOKED_AT = 5000;
/** Numbers of a side that the other quotes in another form, and which share of all. */
const MIN_QUOTED = 10;
const MIN_QUOTED_SHARE = 0.3;

/** From where to where the numbers of one kind go that are quoted without their letters. */
type Span = { min: number; max: number };

export class Numbering {
  private readonly texts: Texts | null;
  private readonly kinds: { left: Map<string, number>; right: Map<string, number> };
  private readonly few: boolean;
  private readonly bare: Partial<Record<Side, ReadonlyMap<string, Span>>> = {};

  /**
   * @param texts of the lines that are still open; null before they are read, when numbers of one
   * kind alone are compared.
   */
  constructor(texts: Texts | null) {
    this.texts = texts;
    this.kinds = {
      left: texts ? kindsOf(texts.left) : new Map(),
      right: texts ? kindsOf(texts.right) : new Map(),
    };
    this.few =
      texts !== null &&
      (["left", "right"] as const).some((side) => {
        let references = 0;
        for (const count of this.kinds[side].values()) references += count;
        return references < FEW;
      });
  }

  /** Whether two references would be the same if they named the same. */
  areComparable(left: string, right: string): boolean {
    const [one, other] = [kindOf(left), kindOf(right)];
    if (one === other || this.few) return true;
    return this.kinds.right.has(one) && this.kinds.left.has(other);
  }

  /**
   * A number in a text that has the kind of a reference of `side` but differs from it, or that
   * contains it; null if the text has no such number.
   */
  rivalOf(side: Side, name: string, numbers: readonly string[]): string | null {
    const kind = kindOf(name);
    const isPlain = isNumber(name);
    const telling = numbers.filter((number) => !isDate(number) && digitsIn(number) >= MIN_DIGITS);
    // A text with many numbers is not called by any of them.
    const many = telling.filter(isNumber).length > MAX_NUMBERS;
    for (const number of numbers)
      if (isPlain && isNumber(number) && number.length > name.length && number.includes(name))
        return number;
    for (const written of telling) {
      const [number = written] = written.startsWith("RF") ? withoutCheckDigits(written) : [];
      const isAlike =
        kindOf(number) === kind ? !(isPlain && many) : !many && this.isBare(side, name, number);
      if (isAlike && this.isRare(number)) return written;
    }
    return null;
  }

  /** Whether a number is one of those that the other side quotes in another form. */
  private isBare(side: Side, name: string, number: string): boolean {
    if (!this.texts || !isNumber(number) || bareFormsOf(name).length === 0) return false;
    const spans = this.bare[side] ?? quotedSpans(this.texts, side);
    this.bare[side] = spans;
    const span = spans.get(kindOf(name));
    return span !== undefined && Number(number) >= span.min && Number(number) <= span.max;
  }

  private isRare(number: string): boolean {
    if (!this.texts) return true;
    const word = this.texts.numberOf(number);
    return word < 0 || (this.texts.lineCount[word] as number) <= MAX_LINES;
  }
}

/** Its letters, and how many digits it has. */
export function kindOf(name: string): string {
  return name.replaceAll(/\d+/g, (digits) => `#${digits.length}`);
}

/** The kinds of a side's references that the other side often quotes in another form. */
function quotedSpans(texts: Texts, side: Side): ReadonlyMap<string, Span> {
  const saidByOther = new Uint8Array(texts.spelling.length);
  const { words, start } = texts[opposite(side)];
  for (let at = 0; at < (start.at(-1) as number); at++) saidByOther[words[at] as number] = 1;
  const counts = new Map<string, Span & { read: number; quoted: number }>();
  for (const name of referencesOf(texts[side])) {
    const forms = bareFormsOf(name).filter(isNumber);
    if (forms.length === 0) continue;
    const kind = kindOf(name);
    const count = counts.get(kind) ?? { min: Infinity, max: -Infinity, read: 0, quoted: 0 };
    counts.set(kind, count);
    count.read += 1;
    const bare = forms.find((form) =>
      [form, ...withCheckDigits(form)].some((word) => saidByOther[texts.numberOf(word)] === 1),
    );
    if (bare === undefined) continue;
    count.quoted += 1;
    count.min = Math.min(count.min, Number(bare));
    count.max = Math.max(count.max, Number(bare));
  }
  const isHabit = ({ read, quoted }: { read: number; quoted: number }) =>
    quoted >= MIN_QUOTED && quoted >= MIN_QUOTED_SHARE * read;
  return new Map([...counts].filter(([, count]) => isHabit(count)));
}

/** Counts the kinds of numbers in a sample of lines. */
function kindsOf(side: SideTexts): Map<string, number> {
  const kinds = new Map<string, number>();
  for (const name of referencesOf(side)) {
    const kind = kindOf(name);
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  return kinds;
}

/** The references of a sample of lines, spread evenly over all. */
function* referencesOf({ lines, lineOf }: SideTexts): Generator<string> {
  const step = Math.max(1, Math.floor(lineOf.length / LOOKED_AT));
  for (let at = 0; at < lineOf.length; at += step) {
    const line = lineOf[at] as number;
    if (!lines.hashes.reference.has(line)) continue;
    const name = identifierOf(lines.text(line, "reference"));
    if (name !== null) yield name;
  }
}
