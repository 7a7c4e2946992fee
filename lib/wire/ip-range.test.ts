import { describe, expect, it } from "vitest";
import { isInRanges, normaliseRange } from "./ip-range.ts";

describe("an allow-list range", () => {
  it.each([
    ["10.1.2.3", "10.1.2.3/32"],
    ["10.1.2.3/8", "10.0.0.0/8"],
    ["0.0.0.0/0", "0.0.0.0/0"],
    ["2001:DB8::1", "2001:db8::1/128"],
    ["2001:db8:ffff::/33", "2001:db8:8000::/33"],
    ["::ffff:10.1.2.3", "10.1.2.3/32"],
    ["::ffff:10.1.2.3/104", "10.0.0.0/8"],
  ])("normalises %s to %s", (given, kept) => {
    expect(normaliseRange(given)).toBe(kept);
  });

  it.each([
    "",
    "10.0.0.256",
    "10.0.0.0/33",
    "10.0.0.0/",
    "10.0.0.0/08",
    "10.0.0.0/8/8",
    "010.0.0.1",
    "0x0a000001",
    "10.1",
    "167772161",
    "2001:db8::/129",
    "::ffff:10.1.2.3/95",
    "fe80::1%eth0",
    "localhost",
    " 10.0.0.1",
  ])("rejects the ambiguous range %j", (given) => {
    expect(normaliseRange(given)).toBeNull();
  });
});

describe("an address in an allow-list", () => {
  it.each([
    ["10.1.2.3", ["10.0.0.0/8"], true],
    ["::ffff:10.1.2.3", ["10.0.0.0/8"], true],
    ["::ffff:a01:203", ["10.0.0.0/8"], true],
    ["11.1.2.3", ["10.0.0.0/8"], false],
    ["2001:db8::5", ["10.0.0.0/8", "2001:db8::/32"], true],
    ["10.1.2.3", ["::/0"], false],
    ["not an address", ["0.0.0.0/0"], false],
    ["10.1.2.3", [], false],
  ])("%s in %j: %s", (address, ranges, inside) => {
    expect(isInRanges(address, ranges)).toBe(inside);
  });
});
