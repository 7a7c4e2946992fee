import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";
import { prepareReconciliationContract } from "#lib/matching/sign-off/contract.ts";
import { prepareReconciliation } from "#lib/matching/sign-off/prepare-reconciliation.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(prepareReconciliationContract, ({ ctx, params, body }) =>
    prepareReconciliation(ctx, params.id, body),
  ),
);
