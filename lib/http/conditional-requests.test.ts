import { expect, test } from "vitest";
import { entityTag } from "../request/answer.ts";
import { isNotModified, readIfMatch } from "./conditional-requests.ts";

const tagsOf = (header: string) => readIfMatch(new Headers({ "If-Match": header }));

test("accepts any version without the header and with *", () => {
  expect(readIfMatch(new Headers())).toBeNull();
  expect(tagsOf("*")).toBeNull();
});

test.each([
  ['"3"', [3]],
  ['"3-Kx8d0aTqpwNfB2_-"', [3]],
  ['"3", "4-Kx8d0aTqpwNfB2_-"', [3, 4]],
  ['"3","4"', [3, 4]],
  ['""', []],
  ['"Kx8d0aTqpwNfB2_-"', []],
  ['"03"', []],
  ['W/"3", "4"', [4]],
  ['"a,b"', []],
])("%s allows the versions %j", (header, versions) => {
  expect(tagsOf(header)).toEqual(versions);
});

test.each(["3", '"3', '3"', "", '"3" "4"', '"3",', '* , "3"', 'w/"3"', "'3'"])(
  "rejects the malformed list %j",
  (header) => {
    expect(() => tagsOf(header)).toThrow("The request is invalid");
  },
);

test("compares only the version of a tag, whatever its digest", () => {
  expect(tagsOf(entityTag(7, "{}"))).toEqual([7]);
  expect(tagsOf(entityTag(null, "{}"))).toEqual([]);
});

test("matches If-None-Match by any of its tags that equals the whole entity tag", () => {
  const tag = entityTag(7, '{"minutes_to_breach":30}');
  const knows = (header: string) => isNotModified(new Headers({ "If-None-Match": header }), tag);
  expect([knows(tag), knows(`"1", W/${tag}`), knows("*")]).toEqual([true, true, true]);
  expect([
    knows('"7"'),
    knows(entityTag(7, '{"minutes_to_breach":29}')),
    isNotModified(new Headers(), tag),
  ]).toEqual([false, false, false]);
});

test("rejects a tag that a proxy weakened, and says so", () => {
  expect(() => tagsOf('W/"3"')).toThrow(/weak/);
});
