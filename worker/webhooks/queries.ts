import { Pool } from "pg";
import type { Outcome } from "#lib/webhooks/send.ts";

const CONNECTIONS = 3;
const GIVE_UP_MS = 10_000;

/** A delivery that this worker holds under a lease. `sent_at` is the database's clock, in seconds. */
export type Claimed = {
  attempt_id: string;
  delivery_id: string;
  webhook_id: string;
  tenant_id: string;
  event_id: string;
  url: string;
  body: string;
  secrets: { id: string; sealed: string }[] | null;
  sent_at: string;
};

/** What came of an attempt. An interrupted one is made again, after a pause where there is one. */
export type Result = { attempt_id: string } & (Outcome | { interrupted: true; detail: string; duration_ms: number; pause_seconds: number });

/** A webhook to claim for now, and when its next retry is due; or the attempts that could not be settled yet. */
export type Settled = { webhook_id: string; retry_in_ms: number | null; waiting_attempts: string[] | null };

export type Queries = {
  claim: (webhookIds: string[], room: number) => Promise<Claimed[]>;
  settle: (results: Result[]) => Promise<Settled[]>;
  findOverdue: () => Promise<string[]>;
  end: () => Promise<void>;
};

/** Connections of their own: what is on its way is settled even while every task of the worker is busy. */
export function openQueries(connectionString: string): Queries {
  const database = new Pool({ connectionString, max: CONNECTIONS, connectionTimeoutMillis: GIVE_UP_MS, query_timeout: GIVE_UP_MS });
  database.on("error", () => {});
  return {
    async claim(webhookIds, room) {
      return (await database.query<Claimed>("select * from private.claim_webhook_deliveries($1, $2)", [webhookIds, room])).rows;
    },
    async settle(results) {
      return (await database.query<Settled>("select * from private.settle_webhook_attempts($1)", [JSON.stringify(results)])).rows;
    },
    async findOverdue() {
      return (await database.query<{ id: string }>("select private.overdue_webhooks() as id")).rows.map(({ id }) => id);
    },
    end: () => database.end(),
  };
}
