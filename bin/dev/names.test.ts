import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
const MODULE = /(?<!\.test)\.tsx?$/;
/** Shorter words are too often similar: day, may. */
const MIN_LENGTH = 4;

/** Whether adding, removing or replacing one letter turns one name into the other. */
function differByOne(left: string, right: string): boolean {
  if (left === right || Math.abs(left.length - right.length) > 1) return false;
  let start = 0;
  while (start < left.length && left[start] === right[start]) start++;
  let end = 0;
  while (
    end < Math.min(left.length, right.length) - start &&
    left.at(-1 - end) === right.at(-1 - end)
  )
    end++;
  return Math.max(left.length, right.length) - start - end === 1;
}

test.each(["lib", "components"])(
  "no two modules of %s have names that differ by one letter",
  (folder) => {
    const files = readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" }).filter(
      (file) => MODULE.test(file),
    );
    const known = [...new Set(files.map((file) => basename(file).replace(MODULE, "")))]
      .filter((name) => name.length >= MIN_LENGTH)
      .sort();
    const pairs = known.flatMap((left, at) =>
      known
        .slice(at + 1)
        .flatMap((right) => (differByOne(left, right) ? [`${left} ${right}`] : [])),
    );
    expect(pairs).toEqual([]);
  },
);
