/**
 * How the numbers of two sides are written. Different numbers of one kind name different items,
 * while a bank's number doesn't contradict an invoice's. The kinds that both sides have are
 * therefore counted. With only a few lines they are unknown, and any two numbers may be rivals.
 */
import { withCheckDigits, withoutCheckDigits } from "../prepare/check-digits.ts";
import { isNumber } from "../prepare/digits.ts";
import { bareFormsOf, digitsIn, identifierOf, isDate } from "../prepare/identifiers.ts";
import type { SideTexts, Texts } from "../prepare/texts.ts";
import { opposite, type Side } from "../side.ts";

/** With fewer references on a side, the kinds of its numbers are unknown. */
const MIN_REFERENCES = 20;
/** A number in the texts of more lines than this names none of them. */
const MAX_LINES = 2;
/** The minimum number of digits of a number in a text. */
const MIN_DIGITS = 4;
/** In a text with more numbers than this, no number counts as its reference. */
const MAX_NUMBERS = 2;
/** The maximum number of lines of a side whose references are counted. */
const MAX_SAMPLE = 5000;
/** Numbers of a kind are usually quoted in another form if this count and share of them are. */
const MIN_QUOTED = 10;
const MIN_QUOTED_SHARE = 0.3;

/** The range of the numbers of one kind that are quoted without their letters. */
type Span = { min: number; max: number };

export class Numbering {
  private readonly texts: Texts | null;
  private readonly kinds: { left: Map<string, number>; right: Map<string, number> };
  private readonly isUnknown: boolean;
  private readonly quotedSpans: Partial<Record<Side, ReadonlyMap<string, Span>>> = {};

  /**
   * @param texts of the lines that are still open; null before they are read, when only numbers of
   * one kind are compared.
   */
  constructor(texts: Texts | null) {
    this.texts = texts;
    this.kinds = {
      left: texts ? kindsOf(texts.left) : new Map(),
      right: texts ? kindsOf(texts.right) : new Map(),
    };
    this.isUnknown =
      texts !== null &&
      (["left", "right"] as const).some((side) => {
        let references = 0;
        for (const count of this.kinds[side].values()) references += count;
        return references < MIN_REFERENCES;
      });
  }

  /** Whether two references would be equal if they named the same item. */
  areComparable(left: string, right: string): boolean {
    const [one, other] = [kindOf(left), kindOf(right)];
    if (one === other || this.isUnknown) return true;
    return this.kinds.right.has(one) && this.kinds.left.has(other);
  }

  /**
   * A number in a text that contains a reference of `side`, or is of its kind but differs from it;
   * null if the text has no such number.
   */
  rivalOf(side: Side, name: string, numbers: readonly string[]): string | null {
    const kind = kindOf(name);
    const isDigitsOnly = isNumber(name);
    const candidates = numbers.filter(
      (number) => !isDate(number) && digitsIn(number) >= MIN_DIGITS,
    );
    // In a text with many numbers, no number counts as its reference.
    const hasManyNumbers = candidates.filter(isNumber).length > MAX_NUMBERS;
    for (const number of numbers)
      if (isDigitsOnly && isNumber(number) && number.length > name.length && number.includes(name))
        return number;
    for (const written of candidates) {
      const [number = written] = written.startsWith("RF") ? withoutCheckDigits(written) : [];
      const isSameKind =
        kindOf(number) === kind
          ? !(isDigitsOnly && hasManyNumbers)
          : !hasManyNumbers && this.isQuotedForm(side, name, number);
      if (isSameKind && this.isRare(number)) return written;
    }
    return null;
  }

  /** Whether a number has the form in which the other side usually quotes numbers like `name`. */
  private isQuotedForm(side: Side, name: string, number: string): boolean {
    if (!this.texts || !isNumber(number) || bareFormsOf(name).length === 0) return false;
    const spans = this.quotedSpans[side] ?? findQuotedSpans(this.texts, side);
    this.quotedSpans[side] = spans;
    const span = spans.get(kindOf(name));
    return span !== undefined && Number(number) >= span.min && Number(number) <= span.max;
  }

  private isRare(number: string): boolean {
    if (!this.texts) return true;
    const word = this.texts.numberOf(number);
    return word < 0 || (this.texts.lineCount[word] as number) <= MAX_LINES;
  }
}

/** The kind of a number: its letters, with each run of digits replaced by its length. */
export function kindOf(name: string): string {
  return name.replaceAll(/\d+/g, (digits) => `#${digits.length}`);
}

/** The kinds of a side's references that the other side usually quotes in another form. */
function findQuotedSpans(texts: Texts, side: Side): ReadonlyMap<string, Span> {
  const isInOtherTexts = new Uint8Array(texts.spelling.length);
  const { words, start } = texts[opposite(side)];
  for (let at = 0; at < (start.at(-1) as number); at++) isInOtherTexts[words[at] as number] = 1;
  const counts = new Map<string, Span & { read: number; quoted: number }>();
  for (const name of referencesOf(texts[side])) {
    const forms = bareFormsOf(name).filter(isNumber);
    if (forms.length === 0) continue;
    const kind = kindOf(name);
    const count = counts.get(kind) ?? { min: Infinity, max: -Infinity, read: 0, quoted: 0 };
    counts.set(kind, count);
    count.read += 1;
    const bare = forms.find((form) =>
      [form, ...withCheckDigits(form)].some((word) => isInOtherTexts[texts.numberOf(word)] === 1),
    );
    if (bare === undefined) continue;
    count.quoted += 1;
    count.min = Math.min(count.min, Number(bare));
    count.max = Math.max(count.max, Number(bare));
  }
  const isUsual = ({ read, quoted }: { read: number; quoted: number }) =>
    quoted >= MIN_QUOTED && quoted >= MIN_QUOTED_SHARE * read;
  return new Map([...counts].filter(([, count]) => isUsual(count)));
}

/** Counts the kinds of references in a sample of lines. */
function kindsOf(side: SideTexts): Map<string, number> {
  const kinds = new Map<string, number>();
  for (const name of referencesOf(side)) {
    const kind = kindOf(name);
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  return kinds;
}

/** The references of a sample of lines, spread evenly over all lines. */
function* referencesOf({ lines, lineOf }: SideTexts): Generator<string> {
  const step = Math.max(1, Math.floor(lineOf.length / MAX_SAMPLE));
  for (let at = 0; at < lineOf.length; at += step) {
    const line = lineOf[at] as number;
    if (!lines.hashes.reference.has(line)) continue;
    const name = identifierOf(lines.text(line, "reference"));
    if (name !== null) yield name;
  }
}
