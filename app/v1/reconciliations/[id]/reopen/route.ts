import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";
import { reopenReconciliationContract } from "#lib/matching/periods/contract.ts";
import { reopenReconciliation } from "#lib/matching/periods/reopen-reconciliation.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(reopenReconciliationContract, ({ ctx, params, body }) =>
    reopenReconciliation(ctx, params.id, body),
  ),
);
