import { withoutUmlauts } from "../evidence/names-differ.ts";
import type { Lines } from "../lines.ts";
import { wordsOf } from "../prepare/text.ts";

/** A name cut to fewer letters could be the beginning of many names. */
const MIN_LETTERS = 6;
/**
 * A name that is cut in the middle of a text is followed by another field, so it takes more letters
 * to recognize.
 */
const MIN_LETTERS_INSIDE = 10;

/** A counterparty name to search for in texts, which may have cut it off. */
export class CutName {
  private readonly whole: string;
  private readonly known = new Map<string, boolean>();

  constructor(name: string) {
    this.whole = nameWords(name).join("");
  }

  /**
   * The number of letters of the name that a text has if the name was cut at the width of its
   * field: "AUTO-PAY NORTHSIDE MERCAN", or "SQ *NORTHSIDE MERCAN TULSA OK". 0 if the text doesn't
   * have it.
   * @param words the words of the text, from `nameWords`.
   */
  lettersIn(words: readonly string[]): number {
    const { whole } = this;
    let max = 0;
    for (let from = 0; from < words.length; from++) {
      let to = from;
      let found = "";
      while (to < words.length && whole.startsWith(found + words[to])) found += words[to++];
      const isAtEnd = to === words.length;
      if (found.length >= (isAtEnd ? MIN_LETTERS : MIN_LETTERS_INSIDE))
        max = Math.max(max, found.length);
    }
    return max;
  }

  /** Whether a text has the name, whole or cut off. */
  isIn(text: string | null): boolean {
    if (text === null || this.whole.length < MIN_LETTERS) return false;
    const known = this.known.get(text) ?? this.lettersIn(nameWords(text)) > 0;
    this.known.set(text, known);
    return known;
  }
}

/** Whether a text of a line has the counterparty of another line, whole or cut off. */
export function hasCounterpartyOf(
  lines: Lines,
  line: number,
  others: Lines,
  otherLine: number,
): boolean {
  const name = others.text(otherLine, "counterparty");
  return name !== null && hasName(lines, line, new CutName(name));
}

/** Whether a text of a line has a name, whole or cut off. */
export function hasName(lines: Lines, line: number, name: CutName): boolean {
  return name.isIn(lines.text(line, "counterparty")) || name.isIn(lines.text(line, "description"));
}

/** Whether one of two lines has the counterparty of the other. */
export function shareName(lines: Lines, line: number, others: Lines, otherLine: number): boolean {
  return (
    hasCounterpartyOf(lines, line, others, otherLine) ||
    hasCounterpartyOf(others, otherLine, lines, line)
  );
}

/** The words of a text that stand before a number, such as "NORTHSIDE" in "SP NORTHSIDE #9390". */
export function wordsBeforeNumbers(text: string): Set<string> {
  const words = nameWords(text);
  return new Set(
    words.filter((word, at) => word.length >= MIN_LETTERS && /\d/.test(words[at + 1] ?? "")),
  );
}

export function firstWordOf(name: string): string {
  return nameWords(name)[0] ?? "";
}

/** The words of a counterparty or of a text that may have one, without umlauts. */
export function nameWords(text: string): string[] {
  return wordsOf(text, "counterparty").map(withoutUmlauts);
}
