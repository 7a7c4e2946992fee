import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";
import { reviewReconciliationContract } from "#lib/matching/sign-off/contract.ts";
import { reviewReconciliation } from "#lib/matching/sign-off/review-reconciliation.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(reviewReconciliationContract, ({ ctx, params, body }) =>
    reviewReconciliation(ctx, params.id, body),
  ),
);
