import { expect, test } from "vitest";
import { applyKey } from "./key-buffer.ts";

test("buffers typed characters, applies Backspace, and ignores other keys", () => {
  const keys = ["B", "a", "x", "Backspace", "n", "k", " ", "é", "Enter", "ArrowDown", "Tab"];
  expect(keys.reduce(applyKey, "")).toBe("Bank é");
});
