/**
 * Finds other names in a text: names with the same beginning ("CEDAR RIDGE COAT" is not Cedar Ridge
 * Staffing if Cedar Ridge Coatings is known), and names in full.
 */
import type { Lines } from "../lines.ts";
import { wordsOf } from "../prepare/text.ts";
import { containsName, withoutUmlauts } from "./names-differ.ts";

/** A word cut to fewer letters could be the beginning of many words. */
const MIN_LETTERS = 3;
/** A shorter name may be an ordinary word of a text. */
const MIN_NAME_LETTERS = 6;

export class OtherNames {
  /** By the first words of a name: the words that follow them in any of the names. */
  private readonly nextWords = new Map<string, Set<string>>();

  private readonly names: Iterable<string>;
  private normalized: Set<string> | null = null;
  /** The words of each name, by the first word. */
  private byFirstWord: Map<string | undefined, string[][]> | null = null;

  constructor(names: Iterable<string>) {
    this.names = names;
    for (const name of names) {
      const words = nameWords(name);
      for (let count = 1; count < words.length; count++) {
        const first = words.slice(0, count).join(" ");
        const known = this.nextWords.get(first) ?? new Set();
        this.nextWords.set(first, known.add(words[count] as string));
      }
    }
  }

  /** Whether a name is known in this normal form. */
  has(name: string): boolean {
    this.normalized ??= new Set(Array.from(this.names, (known) => nameWords(known).join(" ")));
    return this.normalized.has(nameWords(name).join(" "));
  }

  /** Whether a text contains another known name in full, and no word of this name. */
  containsOther(name: string, text: string): boolean {
    if (containsName(text, name)) return false;
    this.byFirstWord ??= Map.groupBy(Array.from(this.names, nameWords), ([first]) => first);
    const words = nameWords(text);
    return words.some((word, from) =>
      this.byFirstWord
        ?.get(word)
        ?.some(
          (other) =>
            other.join("").length >= MIN_NAME_LETTERS &&
            other.every((otherWord, at) => words[from + at] === otherWord),
        ),
    );
  }

  /** Whether a text contains the first words of a name and continues like another known name. */
  continuesAsOther(name: string, text: string): boolean {
    const expectedWords = nameWords(name);
    const words = nameWords(text);
    return words.some((_, from) => {
      let same = 0;
      while (same < expectedWords.length && words[from + same] === expectedWords[same]) same += 1;
      const [nextWord, expected] = [words[from + same], expectedWords[same]];
      if (same === 0 || nextWord === undefined || expected === undefined) return false;
      if (nextWord.length < MIN_LETTERS || expected.startsWith(nextWord)) return false;
      const known = this.nextWords.get(expectedWords.slice(0, same).join(" "));
      return known !== undefined && [...known].some((word) => word.startsWith(nextWord));
    });
  }
}

/**
 * The counterparty of a line, and the description of another line that has no counterparty; null if
 * either is missing.
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
