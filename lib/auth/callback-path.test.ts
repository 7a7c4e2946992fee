import { expect, test } from "vitest";
import { callbackPath } from "./callback-path.ts";

const ORIGIN = "https://tieout.example";

test.each([
  ["/acme/exceptions?severity=high#top", "/acme/exceptions?severity=high#top"],
  ["https://tieout.example/acme", "/acme"],
  [undefined, "/"],
  ["", "/"],
])("%s leads to %s", (asked, path) => {
  expect(callbackPath(asked, ORIGIN)).toBe(path);
});

test.each([
  "https://evil.example/acme",
  "https://tieout.example@evil.example/",
  "http://tieout.example/acme",
  "//evil.example",
  "/\\evil.example",
  "\t//evil.example",
  "javascript:alert(1)",
  "data:text/html,x",
  "http://[",
  "/sign-in?callbackUrl=/sign-in",
])("%j leads to the start page", (asked) => {
  expect(callbackPath(asked, ORIGIN)).toBe("/");
});
