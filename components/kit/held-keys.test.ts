import { expect, test } from "vitest";
import { typed } from "./held-keys.ts";

test("types the characters of held keys, and no other key", () => {
  const keys = ["B", "a", "x", "Backspace", "n", "k", " ", "é", "Enter", "ArrowDown", "Tab"];
  expect(keys.reduce(typed, "")).toBe("Bank é");
});
