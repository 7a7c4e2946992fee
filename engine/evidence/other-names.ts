/**
 * Names that begin alike: "CEDAR RIDGE COAT" in a text is not Cedar Ridge Staffing if Cedar Ridge
 * Coatings is known. And other names in full.
 */
import type { Lines } from "../lines.ts";
import { wordsOf } from "../prepare/text.ts";
import { containsName, withoutUmlauts } from "./names-differ.ts";

/** A word cut to fewer letters could be the beginning of many. */
const MIN_LETTERS = 3;
/** A shorter name may be a word of a text. */
const MIN_NAME_LETTERS = 6;

export class OtherNames {
  /** By the first words of a name the words that follow them in one of the names. */
  private readonly next = new Map<string, Set<string>>();

  private readonly names: Iterable<string>;
  private normal: Set<string> | null = null;
  /** The words of each name by the first of them. */
  private whole: Map<string | undefined, string[][]> | null = null;

  constructor(names: Iterable<string>) {
    this.names = names;
    for (const name of names) {
      const words = nameWords(name);
      for (let count = 1; count < words.length; count++) {
        const first = words.slice(0, count).join(" ");
        const known = this.next.get(first) ?? new Set();
        this.next.set(first, known.add(words[count] as string));
      }
    }
  }

  /** Whether a name is known, however it is written. */
  has(name: string): boolean {
    this.normal ??= new Set(Array.from(this.names, (known) => nameWords(known).join(" ")));
    return this.normal.has(nameWords(name).join(" "));
  }

  /** Whether a text has another known name in full, and no word of this one. */
  isOfOther(name: string, text: string): boolean {
    if (containsName(text, name)) return false;
    this.whole ??= Map.groupBy(Array.from(this.names, nameWords), ([first]) => first);
    const words = nameWords(text);
    return words.some((word, from) =>
      this.whole
        ?.get(word)
        ?.some(
          (other) =>
            other.join("").length >= MIN_NAME_LETTERS &&
            other.every((own, at) => words[from + at] === own),
        ),
    );
  }

  /** Whether a text begins like a name and goes on like another one that is known. */
  isOther(name: string, text: string): boolean {
    const own = nameWords(name);
    const words = nameWords(text);
    return words.some((_, from) => {
      let same = 0;
      while (same < own.length && words[from + same] === own[same]) same += 1;
      const [nextWord, expected] = [words[from + same], own[same]];
      if (same === 0 || nextWord === undefined || expected === undefined) return false;
      if (nextWord.length < MIN_LETTERS || expected.startsWith(nextWord)) return false;
      const known = this.next.get(own.slice(0, same).join(" "));
      return known !== undefined && [...known].some((word) => word.startsWith(nextWord));
    });
  }
}

/**
 * The counterparty of a line, and the text of another line that names none; null where either is
 * missing.
 */
export function nameAndText(
  lines: Lines,
  line: number,
  others: Lines,
  otherLine: number,
): { name: string; text: string } | null {
  const name = lines.text(line, "counterparty");
  if (name === null || others.hashes.counterparty.has(otherLine)) return null;
  const text = others.text(otherLine, "description");
  return text === null ? null : { name, text };
}

function nameWords(text: string): string[] {
  return wordsOf(text, "counterparty").map(withoutUmlauts);
}
