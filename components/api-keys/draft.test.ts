import { describe, expect, test } from "vitest";
import type { ApiKey } from "#lib/api-keys/contract.ts";
import {
  allowsEveryAddress,
  draftOf,
  endOf,
  inputOf,
  missingIn,
  NEW_DRAFT,
  patchOf,
  rangesOf,
} from "./draft.ts";

const NOW = Date.parse("2026-11-20T12:00:00.000Z");
const KEY = {
  name: "Ledger",
  description: null,
  scopes: ["read:exceptions", "write:exceptions"],
  ip_allowlist: ["10.0.0.0/8", "192.0.2.1/32"],
  expires_at: "2027-01-01T00:00:00.000Z",
} as ApiKey;

describe("the patch of a draft", () => {
  test("is empty if nothing changed, however the ranges are written", () => {
    expect(patchOf(KEY, draftOf(KEY), NOW)).toEqual({});
    expect(patchOf(KEY, { ...draftOf(KEY), ip_allowlist: "192.0.2.1, 10.1.2.3/8" }, NOW)).toEqual(
      {},
    );
  });

  test("contains only changed fields", () => {
    expect(patchOf(KEY, { ...draftOf(KEY), scopes: ["read:exceptions"] }, NOW)).toEqual({
      scopes: ["read:exceptions"],
    });
    expect(patchOf(KEY, { ...draftOf(KEY), ip_allowlist: "" }, NOW)).toEqual({ ip_allowlist: [] });
    expect(
      patchOf(KEY, { ...draftOf(KEY), expires_at: { choice: "never", day: "" } }, NOW),
    ).toEqual({ expires_at: null });
    expect(patchOf(KEY, { ...draftOf(KEY), description: "Why" }, NOW)).toEqual({
      description: "Why",
    });
  });
});

test("a lifetime in days starts now, a custom one ends with its day, and “never” has no end", () => {
  expect(endOf({ choice: "90", day: "" }, NOW)).toBe("2027-02-18T12:00:00.000Z");
  expect(endOf({ choice: "custom", day: "2026-12-24" }, NOW)).toBe("2026-12-24T23:59:59.000Z");
  expect(endOf({ choice: "never", day: "" }, NOW)).toBeNull();
});

test("ranges can be separated by lines, commas, semicolons and blanks", () => {
  expect(rangesOf(" 10.0.0.1\n\n10.0.0.2, 10.0.0.3;::1 ")).toEqual([
    "10.0.0.1",
    "10.0.0.2",
    "10.0.0.3",
    "::1",
  ]);
});

test.each([["0.0.0.0/0"], ["::/0"], ["203.0.113.9/0"], ["::ffff:0.0.0.0/96"]])(
  "%s allows every address",
  (range) => {
    expect(allowsEveryAddress(["10.0.0.0/8", range])).toBe(true);
  },
);

test("a narrow range does not allow every address", () => {
  expect(allowsEveryAddress(["10.0.0.0/8", "2001:db8::/32", "nonsense/0"])).toBe(false);
});

test("an empty form reports its missing fields, and a complete one reports none", () => {
  expect(
    Object.keys(
      missingIn({
        ...NEW_DRAFT,
        expires_at: { choice: "custom", day: "" },
        ip_allowlist: "10.0.0.256",
      }),
    ),
  ).toEqual(["name", "scopes", "expires_at", "ip_allowlist"]);
  expect(missingIn({ ...NEW_DRAFT, name: "Ledger", scopes: ["read:exceptions"] })).toEqual({});
});

test("blank descriptions become null", () => {
  expect(inputOf({ ...NEW_DRAFT, name: " Ledger ", description: "  " }, NOW)).toMatchObject({
    name: "Ledger",
    description: null,
  });
});
