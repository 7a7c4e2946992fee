import { expect, test } from "vitest";
import { requireCapacity } from "./capacity.ts";

const GIGABYTE = 1e9;

test("a run that fits is not refused", () => {
  expect(() => requireCapacity(2_000_000, 200e6, GIGABYTE)).not.toThrow();
});

test.each([
  ["lines", 3_000_000, 0],
  ["texts", 1_000_000, 0.7e9],
])("one whose %s are beyond the memory is refused in words", (_, lines, textBytes) => {
  expect(() => requireCapacity(lines, textBytes, GIGABYTE)).toThrow(
    new RegExp(
      `^This run would weigh ${lines.toLocaleString("en")} lines and needs at least 1\\.[12] GB ` +
        "of memory; a run here may take 1\\.0 GB\\.",
    ),
  );
});
