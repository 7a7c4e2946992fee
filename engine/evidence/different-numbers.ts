import { FIELD_COUNT, type SideTexts, type Texts } from "../prepare/texts.ts";
import { isClose } from "./alignment.ts";

const MIN_LENGTH = 5;
const MIN_DIGITS = 4;

/**
 * Whether two lines name different things in the same way: each has a number written like one of
 * the other's, RG202631956 and RG202631651, and none is the same or a slip away. For two payments
 * of one customer that is what distinguishes them.
 */
export function nameDifferentNumbers(texts: Texts, leftRow: number, rightRow: number): boolean {
  const lefts = numbersOf(texts, texts.left, leftRow);
  const rights = numbersOf(texts, texts.right, rightRow);
  if (lefts.some((left) => rights.some((other) => left === other || isClose(left, other))))
    return false;
  const forms = new Set(rights.map(formOf));
  return lefts.some((left) => forms.has(formOf(left)));
}

function formOf(word: string): string {
  return word.replaceAll(/\d/g, "9");
}

function numbersOf(texts: Texts, { start, words }: SideTexts, row: number): string[] {
  const own = words.subarray(start[row * FIELD_COUNT], start[(row + 1) * FIELD_COUNT]);
  return Array.from(own, (word) => texts.spelling[word] as string).filter(
    (word) => word.length >= MIN_LENGTH && word.replaceAll(/\D/g, "").length >= MIN_DIGITS,
  );
}
