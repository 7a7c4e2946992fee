import { describe, expect, test } from "vitest";
import { clientAddress } from "./client-address.ts";

describe("without trusted proxies", () => {
  test("uses the socket's address, regardless of X-Forwarded-For", () => {
    expect(clientAddress("203.0.113.7", "10.0.0.1", 0)).toBe("203.0.113.7");
  });

  test("converts an IPv4-mapped address to IPv4", () => {
    expect(clientAddress("::ffff:10.1.2.3", undefined, 0)).toBe("10.1.2.3");
  });

  test("normalizes an IPv6 address and drops its zone", () => {
    expect(clientAddress("FE80:0:0:0:0:0:0:1%eth0", undefined, 0)).toBe("fe80::1");
  });
});

describe("behind trusted proxies", () => {
  test.each([
    ["one proxy: the last entry", "198.51.100.9", 1, "198.51.100.9"],
    [
      "one proxy: ignores entries that the caller made up",
      "10.0.0.1, 198.51.100.9",
      1,
      "198.51.100.9",
    ],
    [
      "two proxies: takes the second from the right",
      "1.1.1.1, 198.51.100.9, 192.0.2.1",
      2,
      "198.51.100.9",
    ],
    ["ports and brackets", "[2001:DB8::1]:4711", 1, "2001:db8::1"],
    ["a port after IPv4", "198.51.100.9:4711", 1, "198.51.100.9"],
    ["IPv4-mapped", "::ffff:198.51.100.9", 1, "198.51.100.9"],
  ])("%s", (_name, header, proxies, expected) => {
    expect(clientAddress("192.0.2.200", header, proxies)).toBe(expected);
  });

  test.each([
    ["no header", undefined, 1],
    ["an empty header", "", 1],
    ["fewer entries than proxies", "198.51.100.9", 2],
    ["an entry that is no address", "unknown", 1],
    ["an empty entry among ours", "198.51.100.9, ", 2],
    ["an octal spelling", "0300.0250.0.1", 1],
    ["a single number", "3232235521", 1],
  ])("uses the socket's address with %s", (_name, header, proxies) => {
    expect(clientAddress("192.0.2.200", header, proxies)).toBe("192.0.2.200");
  });
});
