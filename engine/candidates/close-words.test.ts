import fc from "fast-check";
import { expect, test } from "vitest";
import { isClose } from "../evidence/alignment.ts";
import { Lines } from "../lines.ts";
import { sortLines } from "../prepare/order.ts";
import { Texts } from "../prepare/texts.ts";
import { CloseWords } from "./close-words.ts";

/** Words of few letters, so that many are close to each other and some have doubled letters. */
const word = fc.string({ unit: fc.constantFrom("A", "B", "Ж"), minLength: 3, maxLength: 6 });

test("close words are the words that a comparison with all words of the side finds", () => {
  let found = 0;
  fc.assert(
    fc.property(
      fc.array(word, { minLength: 1, maxLength: 6 }),
      fc.array(word, { minLength: 1, maxLength: 6 }),
      (lefts, rights) => {
        const texts = textsOf(lefts, rights);
        const close = new CloseWords(texts, texts.right);
        const rightWords = new Set(texts.right.words.subarray(0, texts.right.start.at(-1)));
        texts.spelling.forEach((spelling, id) => {
          const { from, to } = close.of(id);
          const near = [...close.near.subarray(from, to)]
            .map((other) => texts.spelling[other])
            .sort();
          const expected = texts.spelling
            .filter((other, at) => at !== id && rightWords.has(at) && isClose(spelling, other))
            .sort();
          expect(near).toEqual(expected);
          found += near.length;
        });
      },
    ),
    { numRuns: 300 },
  );
  expect(found).toBeGreaterThan(50);
});

function textsOf(lefts: readonly string[], rights: readonly string[]): Texts {
  const side = (name: "left" | "right", words: readonly string[]) => {
    const lines = new Lines(name, words.length);
    for (const [handle, description] of words.entries())
      lines.add({
        handle,
        identity: `${name}${handle}`,
        amount_minor: 1,
        currency: "EUR",
        value_date: 20_000,
        description,
      });
    return { lines, open: sortLines(lines, () => true) };
  };
  return Texts.of(side("left", lefts), side("right", rights));
}
