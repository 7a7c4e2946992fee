import { expect, test } from "vitest";
import { EVENT_KINDS } from "#lib/wire/event-kinds.ts";
import { EVENT_GROUPS, formatDuration, formatRate, formatUrl } from "./labels.ts";

test("shows 100 % only if nothing failed, and 0 % only if nothing succeeded", () => {
  expect([null, 1, 0.99999, 0.9967, 0.5, 0.0004, 0].map(formatRate)).toEqual([
    "–",
    "100 %",
    "99.9 %",
    "99.6 %",
    "50.0 %",
    "< 0.1 %",
    "0 %",
  ]);
});

test("shows response times in a fitting unit", () => {
  expect([null, 0, 84, 999, 1000, 14_960].map(formatDuration)).toEqual([
    "–",
    "0 ms",
    "84 ms",
    "999 ms",
    "1.0 s",
    "15.0 s",
  ]);
});

test("shows a URL without https://, but with http://", () => {
  const urls = [
    "https://hooks.example.com/",
    "https://hooks.example.com/a/",
    "http://127.0.0.1:4000/x",
  ];
  expect(urls.map(formatUrl)).toEqual([
    "hooks.example.com",
    "hooks.example.com/a/",
    "http://127.0.0.1:4000/x",
  ]);
});

test("offers every event type except the test, which is always sent to its webhook", () => {
  const offered = EVENT_GROUPS.flatMap(({ kinds }) => kinds);
  expect([...offered, "webhook.test"].sort()).toEqual([...EVENT_KINDS].sort());
});
