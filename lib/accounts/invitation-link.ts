import { z } from "zod";
import type { UserIdentity } from "../auth/principal.ts";
import { forgetMemberships } from "../auth/session-user.ts";
import { supabaseIssuer } from "../auth/trust-anchors.ts";
import { serviceDb } from "../db/client.ts";
import { unwrap } from "../db/unwrap.ts";
import { ROLES } from "../wire/access.ts";
import { ApiError } from "../wire/errors.ts";
import type { AccountInput, AccountResponse } from "./contract.ts";
import { hashPassword } from "./hash-password.ts";
import { linkTokenHash } from "./link-token.ts";
import type { Origin } from "./reset-password.ts";

const REASON = "the link is the credential";

const invited = z
  .object({
    tenant_id: z.string(),
    tenant_name: z.string(),
    email: z.string(),
    roles: z.array(z.enum(ROLES)),
    invited_by: z.string(),
    expires_at: z.string(),
    account_id: z.string().nullable(),
  })
  .nullable();

const accepted = z
  .object({
    outcome: z.enum(["accepted", "sign_in"]),
    tenant_id: z.string().optional(),
    id: z.string().optional(),
  })
  .nullable();

/**
 * The invitation behind a link. @throws ApiError `not_found`, the same for every link that doesn't
 * work
 */
export async function findInvitation(
  token: string,
  user: UserIdentity | null,
): Promise<AccountResponse<"invitation">> {
  const { account_id, tenant_id: _, ...found } = await openInvitation(token);
  const next =
    account_id === null ? "set_password" : account_id === accountOf(user) ? "join" : "sign_in";
  return { ...found, next };
}

/**
 * Makes the holder of the link a member: with a new account and this password, or with the existing
 * account of the invited address, which must be signed in. @throws ApiError `not_found` as above;
 * `conflict` if that account is not signed in
 */
export async function acceptInvitation(
  { token, password }: AccountInput<"accept">,
  user: UserIdentity | null,
  origin: Origin,
): Promise<AccountResponse<"accept">> {
  const { account_id } = await openInvitation(token);
  const args = {
    token_hash: linkTokenHash(token),
    user_id: accountOf(user) as string,
    // An existing account keeps its password; only a new one gets this.
    password_hash: (account_id === null && password !== undefined
      ? await hashPassword(password)
      : null) as string,
    origin,
  };
  const done = accepted.parse(unwrap(await serviceDb(REASON).rpc("accept_invitation", args)));
  if (!done) throw badLink();
  if (!done.tenant_id || !done.id)
    throw new ApiError(
      "conflict",
      "This address has an account. Sign in with it to accept the invitation.",
      { reason: "sign_in_required" },
    );
  forgetMemberships(done.id);
  return { tenant_id: done.tenant_id };
}

async function openInvitation(token: string) {
  const found = invited.parse(
    unwrap(await serviceDb(REASON).rpc("find_invitation", { token_hash: linkTokenHash(token) })),
  );
  if (!found) throw badLink();
  return found;
}

function accountOf(user: UserIdentity | null): string | null {
  return user?.issuer === supabaseIssuer() ? user.id : null;
}

function badLink(): ApiError {
  return new ApiError(
    "not_found",
    "This invitation has expired, was revoked or was accepted already. Ask for a new one.",
  );
}
