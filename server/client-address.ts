import ipaddr from "ipaddr.js";
import { LRUCache } from "lru-cache";

/** An IPv6 address in brackets or either kind of address, each with an optional port. */
const ENTRY = /^(?:\[([^\]]+)\](?::\d+)?|(\d+(?:\.\d+){3})(?::\d+)?|([^[\]]+))$/;

/**
 * The address that a request came from. Each of our `proxies` appended one entry to
 * X-Forwarded-For, so the caller's entry is that many from the right. The caller may have made up
 * the entries to the left of it.
 */
export function clientAddress(
  socketAddress: string,
  forwardedFor: string | undefined,
  proxies: number,
): string {
  const proxyEntries =
    proxies === 0 ? [] : (forwardedFor?.split(",") ?? []).slice(-proxies).map(parse);
  const client =
    proxyEntries.length === proxies && proxyEntries.every(Boolean) ? proxyEntries[0] : undefined;
  return client ?? parse(socketAddress) ?? socketAddress;
}

/** Caches parsed addresses, because the same callers return. */
const cache = new LRUCache<string, { address: string | undefined }>({ max: 10_000 });

function parse(entry: string): string | undefined {
  const cached = cache.get(entry);
  if (cached) return cached.address;
  const address = canonical(entry);
  cache.set(entry, { address });
  return address;
}

/**
 * @returns the canonical form, as IPv4 for an IPv4-mapped address; undefined if the entry is no
 * address.
 */
function canonical(entry: string): string | undefined {
  const [, bracketed, v4, plain] = ENTRY.exec(entry.trim()) ?? [];
  const address = (bracketed ?? v4 ?? plain)?.split("%")[0];
  if (!address || !(ipaddr.IPv4.isValidFourPartDecimal(address) || ipaddr.IPv6.isValid(address)))
    return undefined;
  return ipaddr.process(address).toString();
}
