import { withoutUmlauts } from "../evidence/names-differ.ts";
import { wordsOf } from "../prepare/text.ts";

/** A name cut to fewer letters could be the beginning of many names. */
const LEAST_LETTERS = 6;
/** Behind a name that is cut in the middle of a text another field begins: that takes more letters to tell. */
const LEAST_LETTERS_INSIDE = 10;

/**
 * How many letters of a name a text has where the name was cut at the width of its field: "AUTO-PAY NORTHSIDE MERCAN", or
 * "SQ *NORTHSIDE MERCAN TULSA OK". 0 where the text doesn't have the name.
 */
export function lettersOfCutName(text: string, name: string): number {
  const words = nameWords(text);
  const whole = nameWords(name).join("");
  let most = 0;
  for (let from = 0; from < words.length; from++) {
    let to = from;
    let found = "";
    while (to < words.length && whole.startsWith(found + words[to])) found += words[to++];
    const isAtEnd = to === words.length;
    if (found.length >= (isAtEnd ? LEAST_LETTERS : LEAST_LETTERS_INSIDE))
      most = Math.max(most, found.length);
  }
  return most;
}

/** Whether a number follows the whole words that a name begins with, as in "SP NORTHSIDE #9390". */
export function startsNameBeforeNumber(text: string, name: string): boolean {
  const words = nameWords(text);
  const [first = ""] = nameWords(name);
  const at = words.indexOf(first);
  return first.length >= LEAST_LETTERS && at >= 0 && /\d/.test(words[at + 1] ?? "");
}

function nameWords(text: string): string[] {
  return wordsOf(text, "counterparty").map(withoutUmlauts);
}
