import { expect, test } from "vitest";
import { EVENT_KINDS } from "#lib/events/contract.ts";
import { EVENT_GROUPS, shownDuration, shownRate, shownUrl } from "./labels.ts";

test("a rate is 100 % only where nothing failed, and 0 % only where nothing else happened", () => {
  expect([null, 1, 0.99999, 0.9967, 0.5, 0.0004, 0].map(shownRate)).toEqual([
    "–",
    "100 %",
    "99.9 %",
    "99.6 %",
    "50.0 %",
    "< 0.1 %",
    "0 %",
  ]);
});

test("an answer time is told in the unit one thinks of it in", () => {
  expect([null, 0, 84, 999, 1000, 14_960].map(shownDuration)).toEqual([
    "–",
    "0 ms",
    "84 ms",
    "999 ms",
    "1.0 s",
    "15.0 s",
  ]);
});

test("a URL is shown without https, which goes without saying, and with http, which does not", () => {
  const urls = [
    "https://hooks.example.com/",
    "https://hooks.example.com/a/",
    "http://127.0.0.1:4000/x",
  ];
  expect(urls.map(shownUrl)).toEqual([
    "hooks.example.com",
    "hooks.example.com/a/",
    "http://127.0.0.1:4000/x",
  ]);
});

test("every kind of event can be chosen but the test, which goes to the webhook it tests", () => {
  const offered = EVENT_GROUPS.flatMap(({ kinds }) => kinds);
  expect([...offered, "webhook.test"].sort()).toEqual([...EVENT_KINDS].sort());
});
