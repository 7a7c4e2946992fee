import fc from "fast-check";
import ipaddr from "ipaddr.js";
import { describe, expect, test } from "vitest";
import { isPublicAddress, receiverFault } from "./receiver-address.ts";

/**
 * Ranges that IANA's special-purpose registries list as not globally reachable, or that embed
 * another address.
 */
const NOT_PUBLIC = [
  ..."0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24".split(
    " ",
  ),
  ..."192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4 255.255.255.255/32".split(
    " ",
  ),
  ..."::/96 ::/128 ::1/128 ::ffff:0:0/96 ::ffff:0:0:0/96 64:ff9b::/96 64:ff9b:1::/48 100::/64 2001::/32 2001:2::/48".split(
    " ",
  ),
  ..."2001:10::/28 2001:20::/28 2001:db8::/32 2002::/16 3fff::/20 5f00::/16 fc00::/7 fe80::/10 fec0::/10 ff00::/8".split(
    " ",
  ),
  ..."4000::/3 6000::/3 8000::/3 a000::/3 c000::/3".split(" "),
];

/** A random address of a range. */
const addressOf = (range: string) => {
  const [network, length] = ipaddr.parseCIDR(range);
  const bytes = network.toByteArray();
  return fc
    .array(fc.nat(255), { minLength: bytes.length, maxLength: bytes.length })
    .map((random) => {
      const mixed = bytes.map((byte, index) => {
        const mask = 0xff >> Math.min(8, Math.max(0, length - index * 8));
        return byte | ((random[index] ?? 0) & mask);
      });
      return ipaddr.fromByteArray(mixed).toString();
    });
};

describe("an address", () => {
  test.each(NOT_PUBLIC)("in %s is not public", (range) => {
    fc.assert(fc.property(addressOf(range), (address) => !isPublicAddress(address)));
  });

  test.each([
    "1.1.1.1",
    "8.8.8.8",
    "100.63.255.255",
    "100.128.0.0",
    "172.15.255.255",
    "172.32.0.0",
    "223.255.255.255",
  ])("%s is public", (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  test.each(["2606:4700::1111", "2001:4860:4860::8888", "2a00:1450:4001:80b::200e"])(
    "%s is public",
    (address) => {
      expect(isPublicAddress(address)).toBe(true);
    },
  );

  test.each(["", "localhost", "8.8.8.8%eth0", "fe80::1%eth0", "8.8.8.8.8", "8.8.8.256"])(
    "%j is invalid and not public",
    (text) => {
      expect(isPublicAddress(text)).toBe(false);
    },
  );
});

const NO_NAMES = [
  "localhost..",
  "example..com",
  ".example.com",
  "exa!mple.com",
  `${"a".repeat(64)}.com`,
  `${"a.".repeat(130)}com`,
];

test.each(NO_NAMES)("rejects the invalid host name %s", (host) => {
  expect(receiverFault(new URL(`https://${host}/`), new Set())).toMatch(/isn't a host name/);
});

test.each(["example.com.", "a_b.example.com", "xn--mnchen-3ya.example"])(
  "accepts the unusual host name %s",
  (host) => {
    expect(receiverFault(new URL(`https://${host}/`), new Set())).toBeNull();
  },
);

describe("the operator's allow-list", () => {
  const why = (url: string, ...hosts: string[]) => receiverFault(new URL(url), new Set(hosts));

  test("allows its hosts on any port and over http", () => {
    for (const url of ["http://127.0.0.1/", "http://127.0.0.1:81/", "https://127.0.0.1:22/"])
      expect(why(url, "127.0.0.1")).toBeNull();
    expect(why("http://receiver:8080/", "receiver")).toBeNull();
    expect(why("http://[::1]:8080/", "::1")).toBeNull();
  });

  test("allows no other host", () => {
    expect(why("http://127.0.0.2/", "127.0.0.1")).not.toBeNull();
    expect(why("http://receiver.local/", "receiver")).not.toBeNull();
    expect(why("http://a.receiver/", "receiver")).not.toBeNull();
    expect(why("http://localhost./", "localhost")).not.toBeNull();
    expect(why("https://[::ffff:7f00:1]/", "127.0.0.1")).not.toBeNull();
  });
});
