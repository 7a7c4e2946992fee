import ipaddr from "ipaddr.js";

const MIN_HIGH_PORT = 1024;
const GLOBAL_IPV6 = ipaddr.parseCIDR("2000::/3");

/** What the URL parser takes for a name and no name server would: empty or overlong labels, other characters. */
const HOST_NAME = /^(?=.{1,253}$)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/;

/** Names that mean this machine or its network. */
const PRIVATE_SUFFIX = /(?:^|\.)(?:localhost|local|localdomain|internal|intranet|lan|home\.arpa)$/;

const ALLOWED = "The operator can allow it, including over http, with WEBHOOK_ALLOW_HOSTS.";

/**
 * Why nothing may be sent to a URL, as far as the URL shows; null where it may. The URL parser has brought every spelling of
 * an address (hex, octal, decimal, enclosed or wide digits) into its one form. Hosts on the operator's list pass as they are.
 */
export function whyRefused(url: URL, allowHosts: ReadonlySet<string>): string | null {
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

/** A URL's host: IPv6 without its brackets. */
function bareHost(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, "");
}

export function isAddress(host: string): boolean {
  return ipaddr.isValid(host);
}

/** False for every address that is not one host's own on the public internet, and for those that carry another within. */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address) || address.includes("%")) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== "unicast") return false;
  return parsed.kind() === "ipv4" || (parsed as ipaddr.IPv6).match(GLOBAL_IPV6);
}
