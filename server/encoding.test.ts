import { expect, test } from "vitest";
import { bestEncoding } from "./encoding.ts";

test.each([
  [undefined, "identity"],
  ["", "identity"],
  ["gzip", "gzip"],
  ["gzip, deflate, br", "br"],
  ["br;q=0.5, gzip", "gzip"],
  ["br;q=0, gzip;q=0.1", "gzip"],
  ["gzip;q=0", "identity"],
  ["*", "br"],
  ["*;q=0.5, br;q=0", "gzip"],
  ["BR", "br"],
  ["identity", "identity"],
])("picks the best encoding for %s: %s", (header, encoding) => {
  expect(bestEncoding(header)).toBe(encoding);
});
