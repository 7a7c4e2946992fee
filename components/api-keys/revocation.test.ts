import { expect, test } from "vitest";
import { isInUse, missingToRevoke } from "./revocation.ts";

test("a key is in use if it was called in the last 7 days, by the latest count", () => {
  expect(isInUse({ calls_by_day: [0, 0, 0, 0, 0, 0, 0] }, undefined)).toBe(false);
  expect(isInUse({ calls_by_day: [0, 2, 0, 0, 0, 0, 0] }, undefined)).toBe(true);
  expect(isInUse({ calls_by_day: [0, 0, 0, 0, 0, 0, 0] }, { calls: 1 })).toBe(true);
});

test("asks for the name of a key in use, and only for the reason of an unused one", () => {
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
