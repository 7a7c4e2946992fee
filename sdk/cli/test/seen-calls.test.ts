import { expect, test } from "vitest";
import { SeenCalls } from "../src/commands/seen-calls.ts";

const START = Date.parse("2026-10-05T08:00:00.000Z");
const callAt = (second: number) => ({
  id: `req_${second}`,
  at: new Date(START + second * 1000).toISOString(),
});

test("a day of calls needs no more memory than a minute of them", () => {
  const seen = new SeenCalls();
  for (let second = 0; second < 86_400; second += 1) {
    seen.add(callAt(second));
    seen.addOwn(`own_${second}`);
    seen.forget();
  }
  expect(seen.size).toBeLessThan(1_100);
});

test("calls that a later poll can list again are remembered", () => {
  const seen = new SeenCalls();
  for (let second = 0; second < 300; second += 1) seen.add(callAt(second));
  const since = Date.parse(seen.forget() ?? "");
  const listed = Array.from({ length: 300 }, (_, second) => callAt(second)).filter(
    ({ at }) => Date.parse(at) >= since,
  );
  expect(listed).toHaveLength(61);
  expect(listed.filter(({ id }) => !seen.has(id))).toEqual([]);
});

test("the start isn't moved while all calls are within one minute", () => {
  const seen = new SeenCalls();
  seen.add(callAt(0));
  seen.add(callAt(59));
  expect(seen.forget()).toBeUndefined();
  expect(seen.has("req_0")).toBe(true);
});

test("in a quiet log, the calls of its last minute are remembered", () => {
  const seen = new SeenCalls();
  seen.add(callAt(0));
  seen.add(callAt(100));
  const since = seen.forget();
  expect(seen.forget()).toBe(since);
  expect(seen.has("req_100")).toBe(true);
});
