import { createClient } from "@supabase/supabase-js";
import { signInternalToken } from "../auth/internal-token.ts";
import { env } from "../runtime/env.ts";
import { singleton } from "../runtime/singleton.ts";
import type { Claims } from "./claims.ts";
import type { DatabaseResponse } from "./unwrap.ts";

const TIMEOUT_MS = 15_000;

const supabase = () =>
  singleton("supabase", () =>
    createClient(env().SUPABASE_URL, env().SUPABASE_PUBLISHABLE_KEY, {
      // Each call sends its own token.
      accessToken: async () => null,
      global: {
        fetch: (url, init) =>
          fetch(url, { ...init, cache: "no-store", signal: AbortSignal.timeout(TIMEOUT_MS) }),
      },
    }),
  );

/** Calls a function of `public` by the Data API (PostgREST). */
export async function callOverHttp(
  claims: Claims,
  name: string,
  args: object,
): Promise<DatabaseResponse> {
  const token = await signInternalToken(claims);
  return supabase().rpc(name, args).setHeader("Authorization", `Bearer ${token}`);
}
