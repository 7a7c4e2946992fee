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
const WHY = "a user is verified before their tenant is known";

type Known = { memberships: Memberships | null };

const cache = () =>
  singleton(
    "session-users",
    () =>
      new LRUCache<string, Known>({
        max: 10_000,
        ttl: env().SESSION_CHECK_SECONDS * 1000,
        ttlResolution: 0,
        fetchMethod: async (id) => ({ memberships: await readMemberships(id) }),
      }),
  );

/**
 * The tenants of a user of Supabase Auth as it has them now, SESSION_CHECK_SECONDS ago at most; null for one who is gone or banned.
 * @throws ApiError `unavailable` where the database does not answer: no one is let in without it.
 */
export async function currentMemberships(subject: string): Promise<Memberships | null> {
  return userId.safeParse(subject).success
    ? ((await cache().fetch(subject))?.memberships ?? null)
    : null;
}

/** For whose roles have changed: they hold in this process at once. */
export function forgetMemberships(subject: string): void {
  cache().delete(subject);
}

/** The address that a user of Supabase Auth signs in with; null for who is none. */
export async function addressOf(subject: string): Promise<string | null> {
  if (!userId.safeParse(subject).success) return null;
  const found = unwrap(await serviceDb(WHY).rpc("find_session_user", { user_id: subject }));
  return found ? row.parse(found).email : null;
}

async function readMemberships(id: string): Promise<Memberships | null> {
  const found = unwrap(await serviceDb(WHY).rpc("find_session_user", { user_id: id }));
  return found ? membershipsOf(row.parse(found)) : null;
}
