import { expect, test } from "vitest";
import { mergeStreams } from "./activity.ts";

const by = { actor: "user:ada", actor_issuer: null, actor_subject: null };
const stream = (isWhole: boolean, ...times: string[]) => ({
  isWhole,
  entries: times.map((at) => ({ key: at, at, by, entry: at })),
});
const shown = (...streams: ReturnType<typeof stream>[]) => {
  const { entries, hasOlder } = mergeStreams(...streams);
  return [entries.map(({ at }) => at).join(" "), hasOlder];
};

test("merges two streams by time, as far back as both are loaded", () => {
  expect(shown(stream(true, "9", "4", "1"), stream(true, "8", "2"))).toEqual(["9 8 4 2 1", false]);
  expect(shown(stream(false, "9", "5"), stream(true, "8", "2"))).toEqual(["9 8 5", true]);
  expect(shown(stream(false, "9", "3"), stream(false, "8", "5"))).toEqual(["9 8 5", true]);
  expect(shown(stream(true), stream(true, "1"))).toEqual(["1", false]);
});

test("gives changes that look the same different keys", () => {
  const { entries } = mergeStreams(stream(true, "9", "9", "9"), stream(true, "8"));
  expect(new Set(entries.map(({ key }) => key)).size).toBe(4);
});
