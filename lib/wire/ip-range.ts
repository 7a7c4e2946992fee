import ipaddr from "ipaddr.js";

/**
 * Normalises a CIDR range or single address: host bits cleared, IPv6 compressed, IPv4-mapped IPv6
 * as IPv4. Null for anything else. IPv4 needs four decimal parts: `010.1` and `0x7f.1` are rejected
 * as ambiguous.
 */
export function normaliseRange(text: string): string | null {
  const [address = "", prefix, ...more] = text.split("/");
  if (
    more.length > 0 ||
    !isAddress(address) ||
    (prefix !== undefined && !/^(0|[1-9]\d{0,2})$/.test(prefix))
  )
    return null;
  const parsed = ipaddr.parse(address);
  const bits = parsed.kind() === "ipv4" ? 32 : 128;
  const length = prefix === undefined ? bits : Number(prefix);
  if (length > bits) return null;
  if (parsed.kind() === "ipv6" && (parsed as ipaddr.IPv6).isIPv4MappedAddress()) {
    return length < 96 ? null : networkOf((parsed as ipaddr.IPv6).toIPv4Address(), length - 96);
  }
  return networkOf(parsed, length);
}

/** Whether an address is in one of the ranges. IPv4-mapped IPv6 is compared as IPv4. */
export function isInRanges(address: string, ranges: readonly string[]): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  return ranges.some((range) => {
    const [network, length] = ipaddr.parseCIDR(range);
    return network.kind() === parsed.kind() && parsed.match(network, length);
  });
}

function isAddress(text: string): boolean {
  return (
    ipaddr.IPv4.isValidFourPartDecimal(text) ||
    (text.includes(":") && !text.includes("%") && ipaddr.IPv6.isValid(text))
  );
}

function networkOf(address: ipaddr.IPv4 | ipaddr.IPv6, length: number): string {
  const network = address
    .toByteArray()
    .map((byte, index) => byte & (0xff00 >> Math.min(8, Math.max(0, length - index * 8))) & 0xff);
  return `${ipaddr.fromByteArray(network).toString()}/${length}`;
}
