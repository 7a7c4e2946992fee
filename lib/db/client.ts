import { createClient, type SupabaseClient } from "@supabase/supabase-js";
import { signInternalToken, signServiceToken } from "../auth/internal-token.ts";
import type { Principal } from "../auth/principal.ts";
import { env } from "../runtime/env.ts";
import type { Database } from "./types.gen.ts";

export type Db = SupabaseClient<Database>;

const TIMEOUT_MS = 15_000;

/** A client for one principal and one tenant; row-level security decides again by its token. */
export function dbFor(principal: Principal, tenantId: string): Db {
  return client(() => signInternalToken(principal, tenantId));
}

/** A client across tenants. `why` says what justifies it. */
export function serviceDb(_why: string): Db {
  return client(signServiceToken);
}

function client(accessToken: () => Promise<string>): Db {
  return createClient<Database>(env().SUPABASE_URL, env().SUPABASE_PUBLISHABLE_KEY, {
    accessToken,
    auth: { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false },
    global: { fetch: (url, init) => fetch(url, { ...init, cache: "no-store", signal: AbortSignal.timeout(TIMEOUT_MS) }) },
  });
}
