import { expect, test } from "vitest";
import { isPlainName, timestampedName } from "./remote.ts";

test.each(["..", ".", "a/b", "../etc/passwd", "a\\b", "", "a\u0000b", "a\nb", "x".repeat(256)])(
  "%j from a server is refused as the name of a file",
  (name) => {
    expect(isPlainName(name)).toBe(false);
  },
);

test.each(["camt053-20261105.xml", "Auszug Nr. 1 (neu).csv", "..hidden", "日報.csv"])(
  "%s is accepted as the name of a file",
  (name) => {
    expect(isPlainName(name)).toBe(true);
    expect(isPlainName(timestampedName(name))).toBe(true);
  },
);

test("the longest name leaves room for the suffix that makes it unique", () => {
  expect(isPlainName(timestampedName("x".repeat(255)))).toBe(true);
});
