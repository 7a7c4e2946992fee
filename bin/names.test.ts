import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";

const LIB = join(import.meta.dirname, "../lib");
const names = readdirSync(LIB, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
  .map((file) => basename(file, ".ts"));

/** Whether one letter more, less or other makes one name of the other. */
function differByOne(left: string, right: string): boolean {
  if (left === right || Math.abs(left.length - right.length) > 1) return false;
  let start = 0;
  while (start < left.length && left[start] === right[start]) start++;
  let end = 0;
  while (end < Math.min(left.length, right.length) - start && left.at(-1 - end) === right.at(-1 - end)) end++;
  return Math.max(left.length, right.length) - start - end === 1;
}

test("no two modules of lib have names that differ by one letter", () => {
  const known = [...new Set(names)].sort();
  const pairs = known.flatMap((left, at) => known.slice(at + 1).flatMap((right) => (differByOne(left, right) ? [`${left} ${right}`] : [])));
  expect(pairs).toEqual([]);
});
