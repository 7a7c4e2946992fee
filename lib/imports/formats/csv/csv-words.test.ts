import { expect, test, vi } from "vitest";
import { plainWords } from "../words/plain-words.ts";

test("only a plausible length of a column name is examined", () => {
  const normalize = vi.spyOn(String.prototype, "normalize");
  expect(plainWords(`Bétrag${"\u0301\u0316".repeat(30_000)}`)).toBe("betrag");
  expect(
    Math.max(...normalize.mock.contexts.map((text) => String(text).length)),
  ).toBeLessThanOrEqual(500);
  normalize.mockRestore();
});
