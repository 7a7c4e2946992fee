import { parseCredential } from "../api-keys/credential-format.ts";
import { verifyApiKey } from "../api-keys/verify-api-key.ts";
import { env } from "../runtime/env.ts";
import { log } from "../runtime/log.ts";
import type { ApiError } from "../wire/errors.ts";
import type { Identity } from "./principal.ts";
import { isSameSecret } from "./same-secret.ts";
import { sessionIdentity } from "./session.ts";
import { TokenRefused } from "./token-refused.ts";
import { invalidToken, unauthenticated } from "./unauthenticated.ts";
import { verifyJwt } from "./verify-jwt.ts";

const MAX_CREDENTIAL_LENGTH = 8192;
const INVALID = "Send a valid credential: Authorization: Bearer <JWT, API key or Supabase key>.";

/**
 * The identity behind a request: its bearer credential, else our pages' session. @throws ApiError
 * `unauthenticated`, the same for every way in which a credential can be wrong
 */
export async function verifyCredential(request: Request): Promise<Identity> {
  const header = request.headers.get("authorization");
  const identity =
    header === null
      ? await sessionIdentity(request)
      : await verifyBearer(header).catch((error) => {
          throw error instanceof TokenRefused ? refusedToken(error, request) : error;
        });
  if (!identity) throw unauthenticated(INVALID, header === null ? "" : invalidToken());
  return identity;
}

/**
 * The caller learns the reason (RFC 6750, 3); what the token claims about itself goes to the log.
 */
function refusedToken(refused: TokenRefused, { headers }: Request): ApiError {
  const { reason, about, message, advice } = refused;
  log.info({ request_id: headers.get("x-request-id"), reason, ...about }, "token refused");
  return unauthenticated(
    refused.isGenuine ? `${message} ${advice}` : INVALID,
    invalidToken(message),
    refused,
  );
}

async function verifyBearer(header: string): Promise<Identity | null> {
  const credential = /^Bearer ([\x21-\x7e]+)$/i.exec(header)?.[1];
  if (!credential || credential.length > MAX_CREDENTIAL_LENGTH) return null;
  if (isSameSecret(credential, env().SUPABASE_SECRET_KEY)) return { type: "service_role" };
  if (isSameSecret(credential, env().SUPABASE_PUBLISHABLE_KEY)) return { type: "publishable_key" };
  if (credential.split(".").length === 3) return verifyJwt(credential);
  const apiKey = parseCredential(credential);
  const key = apiKey && (await verifyApiKey(apiKey));
  return key && { type: "api_key", key };
}
