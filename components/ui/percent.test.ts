import { expect, test } from "vitest";
import { percent } from "./percent.ts";

test.each([
  [0, "0.0 %"],
  [0.5, "50.0 %"],
  [0.9999, "99.9 %"],
  [1, "100 %"],
])("rounds %s down to %s", (share, text) => {
  expect(percent(share)).toBe(text);
});
