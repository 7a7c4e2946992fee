/**
 * Compares names of counterparties. Two names are not different if one is the other cut off,
 * reordered, misspelled or shortened to initials.
 */
import { wordsOf } from "../prepare/text.ts";
import { isClose } from "./alignment.ts";

/** Words with fewer letters in common at the beginning are different words. */
const MIN_STEM = 4;

export function namesDiffer(a: string, b: string): boolean {
  const [words, otherWords] = [nameWords(a), nameWords(b)];
  if (words.length === 0 || otherWords.length === 0) return false;
  if (areSimilar(words.join(""), otherWords.join(""))) return false;
  if (isAcronym(words, otherWords) || isAcronym(otherWords, words)) return false;
  const unmatched = words.filter((word) => !otherWords.some((other) => areSimilar(word, other)));
  const otherUnmatched = otherWords.filter(
    (other) => !words.some((word) => areSimilar(word, other)),
  );
  const shared = words.filter((word) => !unmatched.includes(word) && word.length > 1).length;
  if (shared === 0) return true;
  // A shared first name with a different family name: as many words differ as agree.
  return (
    Math.min(unmatched.length, otherUnmatched.length) >= shared &&
    !areJoined(unmatched, otherUnmatched)
  );
}

/** Whether a text contains a word of a name that has more than two letters. */
export function containsName(text: string, name: string): boolean {
  const textWords = nameWords(text);
  return nameWords(name).some(
    (word) =>
      word.length > 2 && textWords.some((other) => other.length > 2 && areSimilar(word, other)),
  );
}

/** Whether two words are equal apart from a slip, a cut, an ending or the spelling of umlauts. */
function areSimilar(one: string, other: string): boolean {
  if (one === other) return true;
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  if (/\d/.test(short) || /\d/.test(long)) return false;
  if (long.startsWith(short)) return true;
  if (isClose(short, long)) return true;
  const [a, b] = [withoutUmlauts(short), withoutUmlauts(long)];
  if (a === b || b.startsWith(a) || a.startsWith(b)) return true;
  let same = 0;
  while (same < a.length && a[same] === b[same]) same += 1;
  return same >= MIN_STEM && same * 2 > b.length;
}

/** Reduces AE, OE and UE, which replace umlauts, to their first letter. */
export function withoutUmlauts(word: string): string {
  return word.replaceAll(/([AOU])E/g, "$1");
}

/** Whether one name is the initials of the other, as ABC for Alpha Beta Company. */
function isAcronym(short: readonly string[], long: readonly string[]): boolean {
  const [word = ""] = short;
  return (
    short.length === 1 &&
    word.length >= 2 &&
    long.length >= 2 &&
    long
      .map((value) => value[0])
      .join("")
      .startsWith(word)
  );
}

/** Whether words are equal or cut off once spaces are removed: one word against two. */
function areJoined(one: readonly string[], other: readonly string[]): boolean {
  const [a, b] = [one.join(""), other.join("")];
  return a.startsWith(b) || b.startsWith(a);
}

function nameWords(text: string): string[] {
  return wordsOf(text, "counterparty");
}
