import { expect, test } from "vitest";
import { normalizeSql } from "./normalize-sql.ts";

test("two definitions are the same if they differ only in layout and comments", () => {
  expect(normalizeSql("select a,\n  -- Why.\n  f( b )\nfrom t;")).toBe(
    normalizeSql("select a, f(b) from t;"),
  );
});

test("text in a literal is part of the meaning", () => {
  expect(normalizeSql("select 'a  b -- c'")).not.toBe(normalizeSql("select 'a b -- c'"));
  expect(normalizeSql("select 'a -- b'")).not.toBe(normalizeSql("select 'a -- c'"));
});

test("another name or word order is another meaning", () => {
  expect(normalizeSql("select a - b")).not.toBe(normalizeSql("select b - a"));
  expect(normalizeSql("select ab")).not.toBe(normalizeSql("select a b"));
});
