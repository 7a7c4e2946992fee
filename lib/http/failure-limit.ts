import { LRUCache } from "lru-cache";
import { parseCredential } from "../api-keys/credential-format.ts";
import { env } from "../runtime/env.ts";
import { singleton } from "../runtime/singleton.ts";
import { ApiError } from "../wire/errors.ts";
import type { Caller } from "./audit.ts";
import { addressKey, rateLimit } from "./rate-limit.ts";

const PROVEN_FOR_MS = 600_000;

const failures = () =>
  singleton("limit-failures", () =>
    rateLimit({
      name: "auth-failures",
      perMinute: env().AUTH_FAILURES_PER_MINUTE,
      refusal: "Too many failed credentials from this address.",
    }),
  );

/** IDs of API keys whose secret was verified within the last ten minutes. */
const proven = () =>
  singleton(
    "proven-keys",
    () => new LRUCache<string, true>({ max: 10_000, ttl: PROVEN_FOR_MS, updateAgeOnHas: true }),
  );

/**
 * Counts a failed `verification` by the caller's address. Over the limit, only API keys verified
 * within the last ten minutes are looked up: guesses cost the database nothing, and other users of
 * a shared address keep working. @throws ApiError `rate_limited`
 */
export async function withFailureLimit<Result>(
  { request, address, reply }: Pick<Caller, "request" | "address" | "reply">,
  verification: () => Promise<Result>,
): Promise<Result> {
  const key = addressKey(address);
  const keyId = keyIdOf(request);
  if (keyId !== undefined && !proven().has(keyId) && (await failures().isSpent(key)))
    await failures().take(key, reply);
  try {
    const result = await verification();
    if (keyId !== undefined) proven().set(keyId, true);
    return result;
  } catch (error) {
    if (error instanceof ApiError && error.code === "unauthenticated")
      await failures().take(key, reply);
    throw error;
  }
}

function keyIdOf({ headers }: Request): string | undefined {
  const credential = /^Bearer ([\x21-\x7e]+)$/i.exec(headers.get("authorization") ?? "")?.[1];
  return credential && parseCredential(credential)?.keyId;
}
