import { LRUCache } from "lru-cache";
import { z } from "zod";
import { serviceDb } from "../db/client.ts";
import { unwrap } from "../db/unwrap.ts";
import { env } from "../runtime/env.ts";
import { singleton } from "../runtime/singleton.ts";

const WHY = "a session is a person's, before their tenant is known";
const MAX_REMEMBERED = 10_000;
/** Longer than any question to the database takes that began before the end. */
const UNDER_WAY_MS = 30_000;

const owner = z.object({ issuer: z.string(), subject: z.string() });
type Owner = z.output<typeof owner>;
type Known = { owner: Owner | null };

/** What was asked of the database within SESSION_CHECK_SECONDS, by session and whether it was an act of the person. */
const checked = () =>
  singleton(
    "sessions-checked",
    () =>
      new LRUCache<string, Known>({
        max: MAX_REMEMBERED,
        ttl: env().SESSION_CHECK_SECONDS * 1000,
        ttlResolution: 0,
        fetchMethod: async (key) => ({ owner: await check(key) }),
      }),
  );

/** What ended in this process holds here at once, whatever is remembered or under way. */
const ended = () =>
  singleton(
    "sessions-ended",
    () =>
      new LRUCache<string, true>({
        max: MAX_REMEMBERED,
        ttl: env().SESSION_CHECK_SECONDS * 1000 + UNDER_WAY_MS,
      }),
  );

export type NewSession = Owner & {
  provider: string;
  address: string | null;
  user_agent: string | null;
  seconds: number;
};

/** @returns its id. @throws ApiError `unavailable`: no one is signed in without it. */
export async function beginSession(session: NewSession): Promise<string> {
  return z.string().parse(unwrap(await serviceDb(WHY).rpc("begin_session", { session })));
}

/**
 * Whose session it is, null where it has ended, expired or lain idle, as the database knew within SESSION_CHECK_SECONDS. `seen`: by an
 * act of the person. @throws ApiError `unavailable`: no one is let in without it.
 */
export async function ownerOfSession(id: string, seen: boolean): Promise<Owner | null> {
  const known = await checked().fetch(`${seen ? "seen" : "left"} ${id}`);
  return ended().has(id) ? null : (known?.owner ?? null);
}

/** Signing out. @throws ApiError `unavailable`: it goes on. */
export async function leaveSession(id: string): Promise<void> {
  unwrap(await serviceDb(WHY).rpc("leave_session", { session_id: id }));
  forgetSessions([id]);
}

/** For what has ended in the database. */
export function forgetSessions(ids: readonly string[]): void {
  for (const id of ids) ended().set(id, true);
}

async function check(key: string): Promise<Owner | null> {
  const [how, id = ""] = key.split(" ");
  const asked = {
    session_id: id,
    idle_seconds: env().SESSION_IDLE_MINUTES * 60,
    seen: how === "seen",
  };
  const found = unwrap(await serviceDb(WHY).rpc("check_session", asked));
  return found === null ? null : owner.parse(found);
}
