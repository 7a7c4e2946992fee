import { createClient } from "@supabase/supabase-js";
import type { UserIdentity } from "../auth/principal.ts";
import { forgetSessions } from "../auth/session-store.ts";
import { addressOf } from "../auth/session-user.ts";
import { supabaseIssuer } from "../auth/trust-anchors.ts";
import { serviceDb } from "../db/client.ts";
import { unwrap } from "../db/unwrap.ts";
import { env } from "../runtime/env.ts";
import { ApiError, invalidRequest } from "../wire/errors.ts";
import { hashPassword } from "./hash-password.ts";
import { type Origin, resetResult } from "./reset-password.ts";

/**
 * The email address of the signed-in user's account. @throws ApiError `conflict` for a user of
 * another identity provider, which manages the password
 */
export async function accountEmail({ issuer, id }: UserIdentity): Promise<string> {
  const email = issuer === supabaseIssuer() ? await addressOf(id) : null;
  if (email === null)
    throw new ApiError(
      "conflict",
      "Your identity provider manages your password. Change it there.",
      { reason: "managed_elsewhere" },
    );
  return email;
}

/**
 * Sets the password of a signed-in user who knows the current one, and ends their other sessions.
 * @throws ApiError `invalid_request` if `current` is wrong
 */
export async function changePassword(
  user: UserIdentity,
  email: string,
  { current, password }: { current: string; password: string },
  origin: Origin,
): Promise<void> {
  const supabase = createClient(env().SUPABASE_URL, env().SUPABASE_PUBLISHABLE_KEY, {
    auth: { persistSession: false },
  });
  const { data, error } = await supabase.auth.signInWithPassword({ email, password: current });
  if (error && (error.status === undefined || error.status >= 500 || error.status === 429))
    throw new ApiError(
      "unavailable",
      "Supabase Auth is unavailable right now. Try again shortly.",
      { cause: error },
    );
  if (data.user?.id !== user.id)
    throw invalidRequest([{ path: "current", message: "This isn't your current password." }]);
  const password_hash = await hashPassword(password);
  const args = {
    user_id: user.id,
    password_hash,
    issuer: supabaseIssuer(),
    kept_session: user.sessionId ?? "",
    origin,
  };
  const found = resetResult.parse(
    unwrap(
      await serviceDb("a password is a person's, not a tenant's").rpc("change_password", args),
    ),
  );
  if (!found) throw new ApiError("unauthenticated", "This account no longer exists.");
  forgetSessions(found.ended);
}
