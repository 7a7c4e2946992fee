import { expect, test } from "vitest";
import { applyKey } from "./key-buffer.ts";

test("types the characters of held keys, and no other key", () => {
  const keys = ["B", "a", "x", "Backspace", "n", "k", " ", "é", "Enter", "ArrowDown", "Tab"];
  expect(keys.reduce(applyKey, "")).toBe("Bank é");
});
