import ipaddr from "ipaddr.js";

const MIN_HIGH_PORT = 1024;
const GLOBAL_IPV6 = ipaddr.parseCIDR("2000::/3");

/**
 * The URL parser accepts host names that DNS doesn't: empty or overlong labels, other characters.
 */
const HOST_NAME = /^(?=.{1,253}$)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/;

/** Names of this machine or its network. */
const PRIVATE_SUFFIX = /(?:^|\.)(?:localhost|local|localdomain|internal|intranet|lan|home\.arpa)$/;

const ALLOWED = "The operator can allow it, including over http, with WEBHOOK_ALLOW_HOSTS.";

/**
 * Why nothing may be sent to a URL, judged by the URL alone, or null. The URL parser has already
 * normalised every notation of an address (hex, octal, decimal, enclosed or full-width digits).
 * Hosts on the operator's allow-list are exempt.
 */
export function receiverFault(url: URL, allowHosts: ReadonlySet<string>): string | null {
  const host = bareHost(url.hostname);
  if (allowHosts.has(host)) return null;
  const name = host.replace(/\.$/, "");
  if (isAddress(host) && !isPublicAddress(host))
    return `${host} isn't a public address. ${ALLOWED}`;
  if (!isAddress(host) && !HOST_NAME.test(name)) return `${host} isn't a host name.`;
  if (!isAddress(host) && (!name.includes(".") || PRIVATE_SUFFIX.test(name)))
    return `${name} isn't a public host name. ${ALLOWED}`;
  if (url.protocol !== "https:") return "Use https: events aren't sent unencrypted.";
  if (url.port !== "" && Number(url.port) < MIN_HIGH_PORT) return "Use port 443 or 1024 to 65535.";
  return null;
}

/** A URL's host, with IPv6 addresses without brackets. */
function bareHost(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, "");
}

export function isAddress(host: string): boolean {
  return ipaddr.isValid(host);
}

/**
 * Whether the address belongs to one host on the public internet. False for addresses that embed
 * another address.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address) || address.includes("%")) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== "unicast") return false;
  return parsed.kind() === "ipv4" || (parsed as ipaddr.IPv6).match(GLOBAL_IPV6);
}
