import { expect, test } from "vitest";
import { readIfMatch } from "./if-match.ts";

const given = (header: string) => readIfMatch(new Request("http://localhost", { headers: { "If-Match": header } }));

test("without the header, and with *, any state will do", () => {
  expect(readIfMatch(new Request("http://localhost"))).toBeNull();
  expect(given("*")).toBeNull();
});

test.each([
  ['"3"', ["3"]],
  ['"3", "4"', ["3", "4"]],
  ['"3","4"', ["3", "4"]],
  ['""', [""]],
  ['W/"3"', []],
  ['W/"3", "4"', ["4"]],
  ['"a,b"', ["a,b"]],
])("%s names the states %j", (header, tags) => {
  expect(given(header)).toEqual(tags);
});

test.each(["3", '"3', '3"', "", '"3" "4"', '"3",', '* , "3"', 'w/"3"', "'3'"])("%j is refused", (header) => {
  expect(() => given(header)).toThrow("The request is invalid");
});
