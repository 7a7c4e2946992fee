import { LRUCache } from "lru-cache";
import { z } from "zod";
import { serviceDb } from "../db/client.ts";
import { unwrap } from "../db/unwrap.ts";
import { env } from "../runtime/env.ts";
import { singleton } from "../runtime/singleton.ts";

const REASON = "a session is a person's, before their tenant is known";
const MAX_REMEMBERED = 10_000;
/** Longer than any database call that began before the session ended. */
const UNDER_WAY_MS = 30_000;

const owner = z.object({ issuer: z.string(), subject: z.string() });
type Owner = z.output<typeof owner>;
type CachedSession = { owner: Owner | null };

/**
 * Sessions checked within SESSION_CHECK_SECONDS, by ID and by whether the check was for a user
 * action.
 */
const checked = () =>
  singleton(
    "sessions-checked",
    () =>
      new LRUCache<string, CachedSession>({
        max: MAX_REMEMBERED,
        ttl: env().SESSION_CHECK_SECONDS * 1000,
        ttlResolution: 0,
        fetchMethod: async (key) => ({ owner: await check(key) }),
      }),
  );

/**
 * Sessions that ended in this process are refused at once, whatever is cached or still being read.
 */
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

/**
 * @returns the ID of the session. @throws ApiError `unavailable`, so that nobody is signed in
 * without one
 */
export async function beginSession(session: NewSession): Promise<string> {
  return z.string().parse(unwrap(await serviceDb(REASON).rpc("begin_session", { session })));
}

/**
 * The owner of a session, or null if it has ended, expired or been idle too long. Cached for
 * SESSION_CHECK_SECONDS. `seen` says whether a user action caused the call. @throws ApiError
 * `unavailable` if the database doesn't answer
 */
export async function ownerOfSession(id: string, seen: boolean): Promise<Owner | null> {
  const cached = await checked().fetch(`${seen ? "seen" : "left"} ${id}`);
  return ended().has(id) ? null : (cached?.owner ?? null);
}

/**
 * Ends a session when its user signs out. @throws ApiError `unavailable`: the session continues.
 */
export async function leaveSession(id: string): Promise<void> {
  unwrap(await serviceDb(REASON).rpc("leave_session", { session_id: id }));
  forgetSessions([id]);
}

/** Refuses sessions that the database has ended. */
export function forgetSessions(ids: readonly string[]): void {
  for (const id of ids) ended().set(id, true);
}

async function check(key: string): Promise<Owner | null> {
  const [access, id = ""] = key.split(" ");
  const request = {
    session_id: id,
    idle_seconds: env().SESSION_IDLE_MINUTES * 60,
    seen: access === "seen",
  };
  const found = unwrap(await serviceDb(REASON).rpc("check_session", request));
  return found === null ? null : owner.parse(found);
}
