import { withoutUmlauts } from "../evidence/names-differ.ts";
import { wordsOf } from "../prepare/text.ts";

/** Letters of a name that has been cut off: fewer begin many names. */
const LEAST_LETTERS = 6;

/** Whether a text ends within a name, as one does whose field was full: "AUTO-PAY NORTHSIDE MERCAN". */
export function endsInName(text: string, name: string): boolean {
  const words = wordsOf(text, "counterparty").map(withoutUmlauts);
  const wanted = wordsOf(name, "counterparty").map(withoutUmlauts);
  const last = words.length - 1;
  for (let from = Math.max(0, words.length - wanted.length); from <= last; from++) {
    const rest = words.slice(from);
    const isSame = rest.every((word, at) =>
      at === rest.length - 1 ? wanted[at]?.startsWith(word) : wanted[at] === word,
    );
    if (isSame && rest.join("").length >= LEAST_LETTERS) return true;
  }
  return false;
}
