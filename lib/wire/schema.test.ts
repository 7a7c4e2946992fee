import { describe, expect, test, vi } from "vitest";
import { text, timestamp, userReference } from "./schema.ts";

const messageOf = (schema: typeof timestamp | ReturnType<typeof text>, value: unknown) =>
  schema.safeParse(value).error?.issues[0]?.message;

describe("a time", () => {
  test.each([
    ["2026-11-20T09:30Z", "2026-11-20T09:30:00.000Z"],
    ["2026-11-20T09:30+00:00", "2026-11-20T09:30:00.000Z"],
    ["2026-11-20T09:30:15+00:00", "2026-11-20T09:30:15.000Z"],
    ["2026-11-20T09:30:15.5Z", "2026-11-20T09:30:15.500Z"],
    ["2026-11-20T09:30:15.1234567+00:00", "2026-11-20T09:30:15.123Z"],
  ])("normalises %s to UTC", (given, kept) => {
    expect(timestamp.parse(given)).toBe(kept);
  });

  test.each([
    ["2026-11-20T09:30:00+02:00", "Must be in UTC, ending in Z or +00:00, not in +02:00."],
    ["2026-11-20T09:30:00-00:00", "Must be in UTC, ending in Z or +00:00, not in -00:00."],
    ["2026-11-20T09:30:00+0000", "Must be in UTC, ending in Z or +00:00, not in +0000."],
    ["2026-11-20T09:30:00 00:00", "Write Z, or %2B00:00 for +00:00: in a URL, + is a space."],
    [
      "2026-11-20T09:30:00",
      "Must be an ISO 8601 time in UTC, for example 2030-01-31T09:30:00.000Z.",
    ],
    [
      "2026-02-30T00:00:00Z",
      "Must be an ISO 8601 time in UTC, for example 2030-01-31T09:30:00.000Z.",
    ],
    [
      "2026-06-30T23:59:60Z",
      "Must be an ISO 8601 time in UTC, for example 2030-01-31T09:30:00.000Z.",
    ],
    ["0001-01-01T00:00:00Z", "Must be between 1970 and 2999."],
    [0, "Must be an ISO 8601 time in UTC, for example 2030-01-31T09:30:00.000Z."],
  ])("rejects %s", (given, message) => {
    expect(messageOf(timestamp, given)).toBe(message);
  });
});

describe("a text", () => {
  test("is stored in one normal form, whatever form was sent", () => {
    expect(text(5).parse("Cafe\u0301")).toBe("Caf\u00e9");
    expect(userReference.parse("user:rene\u0301")).toBe("user:ren\u00e9");
  });

  test("with endless combining marks is left unsorted, because it would block", () => {
    const normalize = vi.spyOn(String.prototype, "normalize");
    const marks = `a${"\u0301".repeat(40)}${"\u0316".repeat(40)}`;
    expect(text(100).parse(marks)).toBe(marks);
    expect(text(5).safeParse(marks.repeat(1000)).success).toBe(false);
    expect(normalize).not.toHaveBeenCalled();
    normalize.mockRestore();
  });

  test.each([
    "",
    " \t\n",
    "\u200b",
    "\u200b\u2060\ufeff",
    "\u3164",
    "\u115f\u1160",
    "\u202e\u202c",
    "\u00ad",
    "\u2800",
    "\ufe0f",
    "\u{e0020}",
  ])("rejects the invisible text %j", (invisible) => {
    expect(text(20).safeParse(invisible).success).toBe(false);
    expect(userReference.safeParse(`user:${invisible}`).success).toBe(false);
  });

  test.each(["a", "\u200bx", "👍🏽", "नी", "٣", "→"])("accepts the visible text %j", (visible) => {
    expect(text(20).parse(visible)).toBe(visible);
  });
});
