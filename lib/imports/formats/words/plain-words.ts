/**
 * The maximum length of labels and column names. Normalizing a longer text would take time that
 * grows with the square of its punctuation.
 */
export const TEXT_MAX_LENGTH = 500;

/** Letters that Unicode doesn't decompose. */
const LETTERS: Record<string, string> = {
  ø: "o",
  ł: "l",
  ß: "ss",
  æ: "ae",
  œ: "oe",
  đ: "d",
  ı: "i",
};

/** Lower case without diacritics, with everything that is not a letter or digit as one space. */
export function plainWords(text: string): string {
  return text
    .slice(0, TEXT_MAX_LENGTH)
    .replace(/\bn\s?\.?\s?[º°]/gi, "no ")
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[øłßæœđı]/g, (letter) => LETTERS[letter] ?? letter)
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}
