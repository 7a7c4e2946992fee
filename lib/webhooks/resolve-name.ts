import { Resolver } from "node:dns/promises";

export type ResolvedAddress = { address: string; family: number };
/** Returns every address of a name. */
export type Resolve = (hostname: string) => Promise<ResolvedAddress[]>;

/**
 * Used instead of the system's lookup, which shares four threads with other work that a hanging
 * name server would block.
 */
const resolver = new Resolver({ timeout: 2_000, tries: 2 });

const NO_SUCH_RECORD = new Set(["ENODATA", "ENOTFOUND"]);

/** Every address of a name, IPv4 first; empty if it has none. */
export async function resolveName(hostname: string): Promise<ResolvedAddress[]> {
  const [ipv4, ipv6] = await Promise.all([
    records(resolver.resolve4(hostname), 4),
    records(resolver.resolve6(hostname), 6),
  ]);
  return [...ipv4, ...ipv6];
}

async function records(query: Promise<string[]>, family: 4 | 6): Promise<ResolvedAddress[]> {
  try {
    return (await query).map((address) => ({ address, family }));
  } catch (error) {
    if (NO_SUCH_RECORD.has((error as NodeJS.ErrnoException).code ?? "")) return [];
    throw Object.assign(new Error("no response from the name server"), { code: "EAI_AGAIN" });
  }
}
