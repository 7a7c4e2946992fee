/**
 * Whether two counterparties are different: they are not if one is cut, reordered, misspelt or
 * shortened to initials.
 */
import { wordsOf } from "../prepare/text.ts";
import { isClose } from "./alignment.ts";

/** Words with less letters in common at their beginning are others. */
const MIN_STEM = 4;

export function namesDiffer(a: string, b: string): boolean {
  const [mine, theirs] = [nameWords(a), nameWords(b)];
  if (mine.length === 0 || theirs.length === 0) return false;
  if (areAlike(mine.join(""), theirs.join(""))) return false;
  if (isAcronym(mine, theirs) || isAcronym(theirs, mine)) return false;
  const left = mine.filter((word) => !theirs.some((their) => areAlike(word, their)));
  const right = theirs.filter((word) => !mine.some((own) => areAlike(own, word)));
  const shared = mine.filter((word) => !left.includes(word) && word.length > 1).length;
  if (shared === 0) return true;
  // A shared first name with another family name: as much differs as agrees.
  return Math.min(left.length, right.length) >= shared && !areJoined(left, right);
}

/** Whether a text has a word of a name, or its initials. */
export function containsName(text: string, name: string): boolean {
  const theirs = nameWords(text);
  return nameWords(name).some(
    (word) => word.length > 2 && theirs.some((their) => their.length > 2 && areAlike(word, their)),
  );
}

/** Equal but for a slip, a cut, an ending, or how an umlaut is written. */
function areAlike(one: string, other: string): boolean {
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

/** ABC for Alpha Beta Company, which its legal form may be part of. */
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

/** One word on the one side, two on the other. */
function areJoined(one: readonly string[], other: readonly string[]): boolean {
  const [a, b] = [one.join(""), other.join("")];
  return a.startsWith(b) || b.startsWith(a);
}

function nameWords(text: string): string[] {
  return wordsOf(text, "counterparty");
}
