/**
 * How the numbers of two sides are written. Numbers of one kind that differ name different things;
 * a bank's own number next to an invoice's says nothing. Which kinds both sides have is counted;
 * for a handful of lines it is unknown, and any two may be rivals.
 */
import { digitsIn, identifierOf, isDate } from "../prepare/identifiers.ts";
import type { SideTexts, Texts } from "../prepare/texts.ts";

/** With fewer references on a side nothing is known of how it writes them. */
const FEW = 20;
/** A number of more lines of a side than this names none of them. */
const MAX_LINES = 2;
const MIN_DIGITS = 4;
const MAX_NUMBERS = 2;
/** Lines of a side whose references are counted. */
const LOOKED_AT = 5000;

export class Numbering {
  private readonly texts: Texts | null;
  private readonly kinds: { left: Map<string, number>; right: Map<string, number> };
  private readonly few: boolean;
  private ids: Map<string, number> | null = null;

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
   * A number in a text that has the reference's kind but differs from it, or that contains it; null
   * if the text has no such number.
   */
  rivalOf(name: string, numbers: readonly string[]): string | null {
    const kind = kindOf(name);
    const isPlain = isNumber(name);
    const telling = numbers.filter((number) => !isDate(number) && digitsIn(number) >= MIN_DIGITS);
    // A text with many numbers is not called by any of them.
    const many = telling.filter(isNumber).length > MAX_NUMBERS;
    for (const number of numbers)
      if (isPlain && isNumber(number) && number.length > name.length && number.includes(name))
        return number;
    for (const number of telling) {
      if (kindOf(number) !== kind || (isPlain && many)) continue;
      if (this.isRare(number)) return number;
    }
    return null;
  }

  private isRare(number: string): boolean {
    if (!this.texts) return true;
    const { spelling, lineCount } = this.texts;
    this.ids ??= new Map(spelling.map((word, id) => [word, id]));
    const id = this.ids.get(number);
    return id === undefined || (lineCount[id] as number) <= MAX_LINES;
  }
}

function isNumber(name: string): boolean {
  return /^\d+$/.test(name);
}

/** Its letters, and how many digits it has. */
export function kindOf(name: string): string {
  return name.replaceAll(/\d+/g, (digits) => `#${digits.length}`);
}

/** Counts the kinds of numbers in a sample of lines, spread evenly over all. */
function kindsOf({ lines, lineOf }: SideTexts): Map<string, number> {
  const kinds = new Map<string, number>();
  const step = Math.max(1, Math.floor(lineOf.length / LOOKED_AT));
  for (let at = 0; at < lineOf.length; at += step) {
    const line = lineOf[at] as number;
    if (!lines.hashes.reference.has(line)) continue;
    const name = identifierOf(lines.text(line, "reference"));
    if (name === null) continue;
    const kind = kindOf(name);
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  return kinds;
}
