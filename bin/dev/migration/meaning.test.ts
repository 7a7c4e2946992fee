import { expect, test } from "vitest";
import { meaningOf } from "./meaning.ts";

test("two definitions are the same if they differ in layout and comments alone", () => {
  expect(meaningOf("select a,\n  -- Why.\n  f( b )\nfrom t;")).toBe(
    meaningOf("select a, f(b) from t;"),
  );
});

test("text in a literal is part of the meaning", () => {
  expect(meaningOf("select 'a  b -- c'")).not.toBe(meaningOf("select 'a b -- c'"));
  expect(meaningOf("select 'a -- b'")).not.toBe(meaningOf("select 'a -- c'"));
});

test("another name or word order is another meaning", () => {
  expect(meaningOf("select a - b")).not.toBe(meaningOf("select b - a"));
  expect(meaningOf("select ab")).not.toBe(meaningOf("select a b"));
});
