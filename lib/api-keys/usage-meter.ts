import { serviceDb } from "../db/client.ts";
import { unwrap } from "../db/unwrap.ts";
import { BatchingCounter } from "../runtime/batching-counter.ts";
import { singleton } from "../runtime/singleton.ts";

/** `outcome` is accepted, accepted_in_grace, revoked, expired, or the code of the refusal. */
export type ApiKeyUse = {
  api_key_id: string;
  tenant_id: string;
  operation: string;
  address: string;
  outcome: string;
};

const FLUSH_INTERVAL_MS = 1_000;

const meter = () =>
  singleton(
    "api-key-usage",
    () =>
      new BatchingCounter<ApiKeyUse>({
        name: "usage",
        keyOf: ({ api_key_id, operation, address, outcome }) =>
          `${api_key_id} ${operation} ${address} ${outcome}`,
        everyMs: FLUSH_INTERVAL_MS,
        retryMs: FLUSH_INTERVAL_MS,
        async write(counted, batch) {
          // Times are sent as ages, because only the database's clock counts.
          const rows = counted.map(({ item, count, lastAt }) => ({
            ...item,
            calls: count,
            age_ms: Math.round(performance.now() - lastAt),
          }));
          unwrap(
            await serviceDb("usage is counted across tenants").rpc("record_api_key_usage", {
              batch,
              rows,
            }),
          );
        },
      }),
  );

export function countApiKeyUse(use: ApiKeyUse): void {
  meter().count(use);
}
