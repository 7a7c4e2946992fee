import type { z } from "zod";
import { write } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import { isInRanges } from "../wire/ip-range.ts";
import type { ApiKeyImpact, estimateApiKeyImpactContract } from "./contract.ts";
import { OPERATION_SCOPES } from "./operation-scopes.gen.ts";

type PastCalls = { operation: string; address: string; calls: number; last_seen_at: string };
type History = { since: string; calls: PastCalls[]; webhooks: ApiKeyImpact["webhooks"] };

type ApiKeyChange = z.output<NonNullable<typeof estimateApiKeyImpactContract.body>>;

/**
 * Counts which calls of the last 7 days a change would have refused, by the rules that authorise
 * calls. Changes nothing.
 */
export async function estimateApiKeyImpact(
  ctx: Context,
  id: string,
  change: ApiKeyChange,
): Promise<ApiKeyImpact> {
  const { since, calls, webhooks } = await write<History>(ctx, "estimate_api_key_impact", {
    id,
    change,
  });
  const refused = calls.filter((past) => wouldRefuse(change, past));
  return {
    since,
    calls: total(calls),
    refused: total(refused),
    by_operation: totalsBy(refused, (past) => past.operation).map(([operation, count]) => ({
      operation,
      refused: count,
    })),
    by_address: totalsBy(refused, (past) => past.address).map(([address, count]) => ({
      address,
      refused: count,
    })),
    webhooks,
  };
}

function wouldRefuse(
  { revoke, scopes, ip_allowlist: ranges, expires_at: expiry }: ApiKeyChange,
  past: PastCalls,
): boolean {
  if (revoke) return true;
  const scope = OPERATION_SCOPES[past.operation];
  if (scopes && scope && !scopes.includes(scope)) return true;
  if (ranges && ranges.length > 0 && !isInRanges(past.address, ranges)) return true;
  return Boolean(expiry) && Date.parse(past.last_seen_at) >= Date.parse(expiry as string);
}

function total(calls: PastCalls[]): number {
  return calls.reduce((sum, past) => sum + past.calls, 0);
}

function totalsBy(calls: PastCalls[], keyOf: (past: PastCalls) => string): [string, number][] {
  return [...Map.groupBy(calls, keyOf)]
    .map(([key, group]): [string, number] => [key, total(group)])
    .sort((a, b) => b[1] - a[1]);
}
