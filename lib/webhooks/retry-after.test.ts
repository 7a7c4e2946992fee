import type { Dispatcher } from "undici";
import { expect, test } from "vitest";
import { readResponse } from "./receiver-response.ts";

const NOON = "Fri, 20 Nov 2026 12:00:00 GMT";
const body = (async function* () {})() as unknown as Dispatcher.ResponseData["body"];
const secondsOf = async (headers: Record<string, string | string[]>) =>
  (await readResponse(503, headers, body)).retry_after_seconds;

test.each([
  ["7", 7],
  [" 120 ", 120],
  ["0", 0],
  ["3600.5", 3601],
  ["99999999999", 999_999_999],
  ["Fri, 20 Nov 2026 12:01:30 GMT", 90],
  ["Friday, 20-Nov-26 12:01:30 GMT", 90],
  ["2026-11-20T12:01:30Z", 90],
  ["Fri, 20 Nov 2026 11:00:00 GMT", 0],
])("waits as long as a receiver asks for with %j", async (value, seconds) => {
  expect(await secondsOf({ "retry-after": value, date: NOON })).toBe(seconds);
});

test.each(["soon", "-5", "+7", "7, 7", "1e9", "May 2099", ""])(
  "%j is neither seconds nor a date, and is ignored",
  async (value) => {
    expect(await secondsOf({ "retry-after": value, date: NOON })).toBeNull();
  },
);

test("a date is compared with our clock if the receiver's is unreadable", async () => {
  const inAMinute = new Date(Date.now() + 60_000).toUTCString();
  const seconds = await secondsOf({ "retry-after": inAMinute, date: "nonsense" });
  expect(seconds).toBeGreaterThan(50);
  expect(seconds).toBeLessThanOrEqual(60);
});
