import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";
import { returnReconciliationContract } from "#lib/matching/sign-off/contract.ts";
import { returnReconciliation } from "#lib/matching/sign-off/return-reconciliation.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(returnReconciliationContract, ({ ctx, params, body }) =>
    returnReconciliation(ctx, params.id, body.reason),
  ),
);
