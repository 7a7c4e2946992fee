/** How often a text looks as if its bytes were decoded with the wrong table. */

/** A control character, or a mark that never stands between two letters. */
const MISPLACED =
  /[\u0080-\u009F]|(?<=\p{L})[\u00A1-\u00A9\u00AB\u00AC\u00AE-\u00B6\u00B8\u00B9\u00BB-\u00BF\u00D7\u00F7\u201A\u201C-\u201E\u2020-\u2022\u2026\u2030\u2039\u203A\u02C6\u02DC](?=\p{L})/gu;
/** A lowercase letter before a capital that isn't ASCII. */
const CAPITAL_WITHIN = /\p{Ll}(?![A-Z])\p{Lu}/gu;
/** No language with Latin letters has four letters with marks in a row. */
const MARKED_LETTERS = /[\u00C0-\u024F]{4,}/gu;
const BEYOND_ASCII = /[^\0-\x7F]/g;

const CONTEXT_LENGTH = 20;

/** The share of a text's characters beyond ASCII that are out of place; 0 without any. */
export function misplacedShare(text: string): number {
  const beyond = text.match(BEYOND_ASCII)?.length ?? 0;
  if (beyond === 0) return 0;
  const runs = (text.match(MARKED_LETTERS) ?? []).join("").length;
  const single = (text.match(MISPLACED) ?? []).length + (text.match(CAPITAL_WITHIN) ?? []).length;
  return (runs + single) / beyond;
}

/** The first misplaced character, with the text around it. */
export function firstMisplaced(text: string): string {
  const patterns = [MISPLACED, CAPITAL_WITHIN, MARKED_LETTERS];
  const places = patterns.map((pattern) => text.search(pattern)).filter((at) => at >= 0);
  const at = Math.min(...places, text.length);
  return text.slice(Math.max(0, at - CONTEXT_LENGTH), at + CONTEXT_LENGTH);
}
