import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from "jose";
import { log } from "../runtime/log.ts";

type LocalKeys = ReturnType<typeof createLocalJWKSet>;

const PATIENCE = {
  /** Keys younger than this are not asked for again. */
  freshMs: 10 * 60_000,
  /** Nothing is asked sooner after the last question, whether or not it was answered. */
  againAfterMs: 30_000,
  /** How long keys stay valid while their URL does not answer, so that an outage there does not lock users out. */
  believedMs: 24 * 60 * 60_000,
};
const ANSWER_TIMEOUT_MS = 5_000;

/** No token can be verified, since the keys were not loaded yet. */
export class KeysUnavailable extends Error {}

/** The keys at a URL. An unknown `kid` loads them again, at the same limited rate. @throws KeysUnavailable */
export function remoteKeys(
  url: URL,
  { freshMs, againAfterMs, believedMs } = PATIENCE,
): JWTVerifyGetKey {
  let keys: LocalKeys | undefined;
  let answeredAt = Number.NEGATIVE_INFINITY;
  let askedAt = Number.NEGATIVE_INFINITY;
  let asking: Promise<void> | undefined;
  const passed = (ms: number, since: number) => performance.now() - since > ms;

  async function ask(): Promise<void> {
    askedAt = performance.now();
    try {
      keys = createLocalJWKSet(await load(url));
      answeredAt = performance.now();
    } catch (error) {
      log.warn({ err: error, host: url.host }, "could not fetch the identity provider's keys");
    }
  }

  /** One question for all who wait for it; none where the last was a moment ago. */
  async function refresh(): Promise<void> {
    if (!asking && passed(againAfterMs, askedAt))
      asking = ask().finally(() => (asking = undefined));
    await asking;
  }

  return async (header, token) => {
    if (passed(freshMs, answeredAt)) await refresh();
    if (!keys || passed(believedMs, answeredAt)) throw new KeysUnavailable();
    try {
      return await keys(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      await refresh();
      return keys(header, token);
    }
  };
}

async function load(url: URL): Promise<JSONWebKeySet> {
  const answer = await fetch(url, {
    headers: { Accept: "application/json, application/jwk-set+json" },
    redirect: "error",
    cache: "no-store",
    signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
  });
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  return (await answer.json()) as JSONWebKeySet;
}
