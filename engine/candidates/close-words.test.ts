import fc from "fast-check";
import { expect, test } from "vitest";
import { isClose } from "../evidence/alignment.ts";
import { Lines } from "../lines.ts";
import { sortLines } from "../prepare/order.ts";
import { Texts } from "../prepare/texts.ts";
import { CloseWords } from "./close-words.ts";

/** Few letters, so that words are near each other, doubled letters and all. */
const word = fc.string({ unit: fc.constantFrom("A", "B", "Ж"), minLength: 3, maxLength: 6 });

test("the close words of a side are those that comparing all of them finds", () => {
  let found = 0;
  fc.assert(
    fc.property(
      fc.array(word, { minLength: 1, maxLength: 6 }),
      fc.array(word, { minLength: 1, maxLength: 6 }),
      (mine, others) => {
        const texts = textsOf(mine, others);
        const close = new CloseWords(texts, texts.right);
        const onTheRight = new Set(texts.right.words.subarray(0, texts.right.start.at(-1)));
        texts.spelling.forEach((spelling, id) => {
          const { from, to } = close.of(id);
          const near = [...close.near.subarray(from, to)]
            .map((other) => texts.spelling[other])
            .sort();
          const expected = texts.spelling
            .filter((other, at) => at !== id && onTheRight.has(at) && isClose(spelling, other))
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

function textsOf(mine: readonly string[], others: readonly string[]): Texts {
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
  return Texts.of(side("left", mine), side("right", others));
}
