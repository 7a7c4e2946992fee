import { expect, test } from "vitest";
import { isInUse, missingToRevoke } from "./revocation.ts";

test("a key is in use where it was called in the last 7 days, by the latest count there is", () => {
  expect(isInUse({ calls_by_day: [0, 0, 0, 0, 0, 0, 0] }, undefined)).toBe(false);
  expect(isInUse({ calls_by_day: [0, 2, 0, 0, 0, 0, 0] }, undefined)).toBe(true);
  expect(isInUse({ calls_by_day: [0, 0, 0, 0, 0, 0, 0] }, { calls: 1 })).toBe(true);
});

test("the name of a key in use is asked for, and of one that nobody uses the reason alone", () => {
  const empty = { confirmation: "", reason: "" };
  expect(Object.keys(missingToRevoke(empty, { name: "Bank feed", inUse: true }))).toEqual([
    "confirmation",
    "reason",
  ]);
  expect(Object.keys(missingToRevoke(empty, { name: "Bank feed", inUse: false }))).toEqual([
    "reason",
  ]);
  expect(
    missingToRevoke(
      { confirmation: " Bank feed", reason: "Leaked." },
      { name: "Bank feed", inUse: true },
    ),
  ).toEqual({});
});
