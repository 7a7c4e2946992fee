import { matchesGlob } from "node:path/posix";
import fc from "fast-check";
import { expect, test } from "vitest";
import { globMatches } from "./file-glob.ts";

test("a glob matches the names that Node's own glob matches", () => {
  const letter = fc.constantFrom("a", "b", "Z", "1", "-");
  const name = fc.string({ unit: letter, minLength: 1, maxLength: 8 });
  const glob = fc.string({ unit: fc.oneof(letter, fc.constantFrom("*", "?")), minLength: 1 });
  const single = glob.filter((text) => !text.includes("**"));
  fc.assert(fc.property(name, single, (n, g) => globMatches(n, g) === matchesGlob(n, g)));
});

test("a glob with many stars rejects a long name without delay", () => {
  expect(globMatches("a".repeat(255), `${"a*".repeat(99)}b`)).toBe(false);
  expect(globMatches("camt053-20261105.xml", "camt053-*.xml")).toBe(true);
});
