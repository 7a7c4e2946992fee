import { FIELD_COUNT, type SideTexts, type Texts } from "../prepare/texts.ts";
import { isClose } from "./alignment.ts";

const MIN_LENGTH = 5;
const MIN_DIGITS = 4;

/**
 * Whether two lines have different numbers of the same form, such as RG202631956 and RG202631651,
 * and no number that is the same or one slip apart. This distinguishes two payments of one
 * customer.
 */
export function nameDifferentNumbers(texts: Texts, leftRow: number, rightRow: number): boolean {
  const lefts = numbersOf(texts, texts.left, leftRow);
  const rights = numbersOf(texts, texts.right, rightRow);
  if (lefts.some((left) => rights.some((right) => left === right || isClose(left, right))))
    return false;
  const forms = new Set(rights.map(formOf));
  return lefts.some((left) => forms.has(formOf(left)));
}

function formOf(word: string): string {
  return word.replaceAll(/\d/g, "9");
}

function numbersOf(texts: Texts, { start, words }: SideTexts, row: number): string[] {
  const lineWords = words.subarray(start[row * FIELD_COUNT], start[(row + 1) * FIELD_COUNT]);
  return Array.from(lineWords, (word) => texts.spelling[word] as string).filter(
    (word) => word.length >= MIN_LENGTH && word.replaceAll(/\D/g, "").length >= MIN_DIGITS,
  );
}
