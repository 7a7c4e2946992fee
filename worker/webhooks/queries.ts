import type { Query } from "#lib/background/loop.ts";
import type { Outcome } from "#lib/webhooks/send.ts";

/**
 * A delivery that this worker holds under a lease. `sent_at` is the database's clock, in seconds.
 */
export type ClaimedDelivery = {
  attempt_id: string;
  delivery_id: string;
  webhook_id: string;
  tenant_id: string;
  event_id: string;
  url: string;
  body: string;
  secrets: { id: string; sealed: string }[] | null;
  sent_at: string;
  /** The type of the event. */
  type: string;
  request_id: string | null;
  /** The receiver's own headers. */
  headers: { name: string; id: string; sealed: string }[] | null;
  /** Where to request the delivery's access token, and the sealed client secret. */
  oauth: {
    token_url: string;
    client_id: string;
    scope?: string;
    id: string;
    sealed: string;
  } | null;
};

/** The result of an attempt. An interrupted attempt is repeated, after a pause if it has one. */
export type Result = { attempt_id: string } & (
  | Outcome
  | { interrupted: true; detail: string; duration_ms: number; pause_seconds: number }
);

/**
 * A webhook that can be claimed again, and when its next retry is due; or its attempts that
 * couldn't be settled yet.
 */
export type Settled = {
  webhook_id: string;
  retry_in_ms: number | null;
  waiting_attempts: string[] | null;
};

export async function claimDeliveries(
  query: Query,
  webhookIds: string[],
  capacity: number,
): Promise<ClaimedDelivery[]> {
  return (
    await query<ClaimedDelivery>("select * from private.claim_webhook_deliveries($1, $2)", [
      webhookIds,
      capacity,
    ])
  ).rows;
}

export async function settleAttempts(query: Query, results: Result[]): Promise<Settled[]> {
  return (
    await query<Settled>("select * from private.settle_webhook_attempts($1)", [
      JSON.stringify(results),
    ])
  ).rows;
}

/** Webhooks with due deliveries that no notification or timer announced. */
export async function findOverdue(query: Query): Promise<string[]> {
  return (await query<{ id: string }>("select private.overdue_webhooks() as id")).rows.map(
    ({ id }) => id,
  );
}
