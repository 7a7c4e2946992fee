import { z } from "zod";
import { forgetSessions } from "../auth/session-store.ts";
import { supabaseIssuer } from "../auth/trust-anchors.ts";
import { serviceDb } from "../db/client.ts";
import { unwrap } from "../db/unwrap.ts";
import { ApiError } from "../wire/errors.ts";
import { hashPassword } from "./hash-password.ts";
import { linkTokenHash } from "./link-token.ts";

/** The client address and request ID of a call, for the audit log. */
export type Origin = { address: string | null; request_id: string };

export const resetResult = z.object({ id: z.string(), ended: z.array(z.string()) }).nullable();

const REASON = "the link is the credential";

/**
 * Sets the password of the user the link was sent to, and ends all of their sessions. @throws
 * ApiError `not_found`, the same for every bad link
 */
export async function resetPassword(
  link: { token: string; password: string },
  origin: Origin,
): Promise<void> {
  const token_hash = linkTokenHash(link.token);
  // Checked before hashing, which takes long.
  if (unwrap(await serviceDb(REASON).rpc("is_password_reset", { token_hash })) !== true)
    throw badLink();
  const password_hash = await hashPassword(link.password);
  const found = resetResult.parse(
    unwrap(
      await serviceDb(REASON).rpc("reset_password", {
        token_hash,
        password_hash,
        issuer: supabaseIssuer(),
        origin,
      }),
    ),
  );
  if (!found) throw badLink();
  forgetSessions(found.ended);
}

function badLink(): ApiError {
  return new ApiError("not_found", "This link has expired or was used already. Request a new one.");
}
