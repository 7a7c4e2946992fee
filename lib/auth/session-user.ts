import { LRUCache } from "lru-cache";
import { z } from "zod";
import { serviceDb } from "../db/client.ts";
import { unwrap } from "../db/unwrap.ts";
import { env } from "../runtime/env.ts";
import { singleton } from "../runtime/singleton.ts";
import { membershipsOf } from "./claims.ts";
import type { Memberships } from "./principal.ts";

const userId = z.uuid();
const row = z.object({
  app_metadata: z.record(z.string(), z.unknown()),
  email: z.string().nullable(),
});
const REASON = "a user is verified before their tenant is known";

type CachedMemberships = { memberships: Memberships | null };

const cache = () =>
  singleton(
    "session-users",
    () =>
      new LRUCache<string, CachedMemberships>({
        max: 10_000,
        ttl: env().SESSION_CHECK_SECONDS * 1000,
        ttlResolution: 0,
        fetchMethod: async (id) => ({ memberships: await readMemberships(id) }),
      }),
  );

/**
 * The current memberships of a Supabase Auth user, at most SESSION_CHECK_SECONDS old; null for a
 * deleted or banned user. @throws ApiError `unavailable` if the database doesn't answer
 */
export async function currentMemberships(subject: string): Promise<Memberships | null> {
  return userId.safeParse(subject).success
    ? ((await cache().fetch(subject))?.memberships ?? null)
    : null;
}

/**
 * Drops the cached memberships of a user whose roles changed, so that the change takes effect at
 * once in this process.
 */
export function forgetMemberships(subject: string): void {
  cache().delete(subject);
}

/** The email address of a Supabase Auth user; null for anyone else. */
export async function addressOf(subject: string): Promise<string | null> {
  if (!userId.safeParse(subject).success) return null;
  const found = unwrap(await serviceDb(REASON).rpc("find_session_user", { user_id: subject }));
  return found ? row.parse(found).email : null;
}

async function readMemberships(id: string): Promise<Memberships | null> {
  const found = unwrap(await serviceDb(REASON).rpc("find_session_user", { user_id: id }));
  return found ? membershipsOf(row.parse(found)) : null;
}
