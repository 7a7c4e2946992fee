import { LRUCache } from "lru-cache";
import { log } from "#lib/runtime/log.ts";
import { durationHistogram } from "#lib/runtime/metrics.ts";
import { traced } from "#lib/runtime/trace.ts";
import {
  type AccessTokens,
  type Client,
  TOKEN_TIMEOUT_MS,
  TokenUnavailable,
} from "#lib/webhooks/access-token.ts";
import { unsealSecret } from "#lib/webhooks/seal-secret.ts";
import { ProcessStalledError, SEND_TIMEOUT_MS, type Sender } from "#lib/webhooks/send.ts";
import { sign } from "#lib/webhooks/signature.ts";
import { maskSentValues } from "./mask-sent-values.ts";
import type { ClaimedDelivery, Result } from "./queries.ts";

const LEASE_MS = 23_000;
const SETTLE_MS = 1_000;
const START_TIMEOUT_MS = 5_000;
const PAUSE_WITHOUT_SECRET_SECONDS = 60;
/**
 * Decrypting a secret takes twice as long as signing with it, so secrets are cached for a minute.
 */
const secretCache = new LRUCache<string, string>({ max: 1_000, ttl: 60_000 });

const attemptDuration = durationHistogram({
  name: "tieout_webhook_attempt_seconds",
  help: "How long this worker's requests to receivers took.",
  labels: ["outcome"],
});

/** How deliveries are sent, and where those with OAuth get their tokens. */
export type SendContext = { sender: Sender; tokens: AccessTokens };

/** Signs and sends one delivery. `claimedAt` is by `performance.now()`. Never throws. */
export async function attemptDelivery(
  { sender, tokens }: SendContext,
  claimed: ClaimedDelivery,
  claimedAt: number,
  stop: AbortSignal,
): Promise<Result> {
  const stopTimer = attemptDuration.startTimer();
  const result = await traced(
    () => ({
      requestId: claimed.request_id,
      name: `webhook ${claimed.type}`,
      kind: "client",
      attributes: { "tieout.webhook_id": claimed.webhook_id, "tieout.event_id": claimed.event_id },
    }),
    (traceparent) => attempt({ sender, tokens }, claimed, claimedAt, stop, traceparent),
    (result) => ({
      failed: outcomeOf(result) !== "succeeded",
      attributes: { "tieout.outcome": outcomeOf(result) },
    }),
  );
  stopTimer({ outcome: outcomeOf(result) });
  return result;
}

async function attempt(
  { sender, tokens }: SendContext,
  claimed: ClaimedDelivery,
  claimedAt: number,
  stop: AbortSignal,
  traceparent: string | null,
): Promise<Result> {
  const startedAt = performance.now();
  const { attempt_id, url, body } = claimed;
  const interrupted = (detail: string, pauseSeconds = 0): Result => ({
    attempt_id,
    interrupted: true,
    detail,
    duration_ms: Math.round(performance.now() - startedAt),
    pause_seconds: pauseSeconds,
  });
  const sinceClaimMs = startedAt - claimedAt;
  if (sinceClaimMs > startTimeoutMs(claimed))
    return interrupted("Interrupted before it started; attempted again.");
  try {
    const sentAt = Number(claimed.sent_at) + Math.floor(sinceClaimMs / 1000);
    const ownHeaders = headersOf(claimed);
    const client = clientOf(claimed);
    const token = client && (await tokens.get(client, stop));
    const headers = {
      ...withoutAuthorization(ownHeaders, token !== null),
      ...(token !== null && { authorization: `Bearer ${token}` }),
      ...sign(claimed.event_id, sentAt, body, secretsOf(claimed)),
      ...(traceparent !== null && { traceparent }),
    };
    const outcome = await sender.send({ url, body, headers }, stop);
    if (client && token && "status_code" in outcome && outcome.status_code === 401)
      tokens.forget(client, token);
    return { attempt_id, ...maskSentValues(outcome, [...Object.values(ownHeaders), token ?? ""]) };
  } catch (error) {
    if (error instanceof TokenUnavailable)
      return {
        attempt_id,
        failure_kind: error.failureKind,
        detail: error.message,
        duration_ms: Math.round(performance.now() - startedAt),
      };
    if (stop.aborted)
      return interrupted("Interrupted before the response arrived; attempted again.");
    if (error instanceof ProcessStalledError)
      return interrupted("Our worker stalled before the response could arrive; attempted again.");
    log.error({ err: error, webhook_id: claimed.webhook_id }, "failed to send a delivery");
    return interrupted(
      "Something went wrong on our side; attempted again.",
      PAUSE_WITHOUT_SECRET_SECONDS,
    );
  }
}

/**
 * How long after its claim an attempt may start. A later one could overlap with the next claim of
 * its delivery.
 */
function startTimeoutMs({ oauth }: ClaimedDelivery): number {
  const needed = SEND_TIMEOUT_MS + SETTLE_MS + (oauth ? TOKEN_TIMEOUT_MS : 0);
  return Math.min(START_TIMEOUT_MS, LEASE_MS - needed);
}

function secretsOf({ secrets, tenant_id }: ClaimedDelivery): string[] {
  if (!secrets) throw new Error("The webhook has no signing secret.");
  return secrets.map(({ id, sealed }) => unsealCached(sealed, tenant_id, id));
}

function headersOf({ headers, tenant_id }: ClaimedDelivery): Record<string, string> {
  return Object.fromEntries(
    (headers ?? []).map(({ name, id, sealed }) => [name, unsealCached(sealed, tenant_id, id)]),
  );
}

function clientOf({ oauth, tenant_id }: ClaimedDelivery): Client | null {
  if (!oauth) return null;
  const { sealed, ...client } = oauth;
  return { ...client, client_secret: unsealCached(sealed, tenant_id, oauth.id) };
}

/** Drops the webhook's own Authorization, in any capitalization, if a token replaces it. */
function withoutAuthorization(
  headers: Record<string, string>,
  hasToken: boolean,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !hasToken || name.toLowerCase() !== "authorization"),
  );
}

function unsealCached(sealed: string, tenantId: string, id: string): string {
  const cacheKey = `${tenantId} ${id} ${sealed}`;
  const cached = secretCache.get(cacheKey);
  if (cached !== undefined) return cached;
  const secret = unsealSecret(sealed, tenantId, id);
  secretCache.set(cacheKey, secret);
  return secret;
}

function outcomeOf(result: Result): string {
  if ("interrupted" in result) return "interrupted";
  if ("failure_kind" in result) return result.failure_kind;
  return result.status_code >= 200 && result.status_code < 300 ? "succeeded" : "http_error";
}
