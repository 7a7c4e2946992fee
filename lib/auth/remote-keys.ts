import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from "jose";
import { log } from "../runtime/log.ts";

type LocalKeys = ReturnType<typeof createLocalJWKSet>;

const TIMES = {
  /** Keys younger than 10 minutes are not loaded again. */
  freshMs: 10 * 60_000,
  /** The minimum time between two requests for one cause, whether or not the first was answered. */
  againAfterMs: 30_000,
  /**
   * How long keys stay valid while their URL does not answer, so that an outage there doesn't lock
   * users out.
   */
  believedMs: 24 * 60 * 60_000,
};
const RESPONSE_TIMEOUT_MS = 5_000;

/** The keys were never loaded, so no token can be verified. */
export class KeysUnavailable extends Error {}

/**
 * The keys of a JWKS URL. An unknown `kid` reloads them, at a separate rate: a key can be
 * published just after they were loaded. @throws KeysUnavailable
 */
export function remoteKeys(
  url: URL,
  { freshMs, againAfterMs, believedMs } = TIMES,
): JWTVerifyGetKey {
  let keys: LocalKeys | undefined;
  let answeredAt = Number.NEGATIVE_INFINITY;
  const requestedAt = { stale: Number.NEGATIVE_INFINITY, unknown: Number.NEGATIVE_INFINITY };
  let reloading: Promise<void> | undefined;
  const passed = (ms: number, since: number) => performance.now() - since > ms;

  async function reload(): Promise<void> {
    try {
      keys = createLocalJWKSet(await load(url));
      answeredAt = performance.now();
    } catch (error) {
      log.warn({ err: error, host: url.host }, "could not fetch the identity provider's keys");
    }
  }

  /** Concurrent callers share one request; within 30 s of the last for this cause, none is sent. */
  async function refresh(cause: keyof typeof requestedAt): Promise<void> {
    if (!reloading && passed(againAfterMs, requestedAt[cause])) {
      requestedAt[cause] = performance.now();
      reloading = reload().finally(() => (reloading = undefined));
    }
    await reloading;
  }

  return async (header, token) => {
    if (passed(freshMs, answeredAt)) await refresh("stale");
    if (!keys || passed(believedMs, answeredAt)) throw new KeysUnavailable();
    try {
      return await keys(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      await refresh("unknown");
      return keys(header, token);
    }
  };
}

async function load(url: URL): Promise<JSONWebKeySet> {
  const response = await fetch(url, {
    headers: { Accept: "application/json, application/jwk-set+json" },
    redirect: "error",
    cache: "no-store",
    signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS),
  });
  if (!response.ok) throw new Error(`status ${response.status}`);
  return (await response.json()) as JSONWebKeySet;
}
