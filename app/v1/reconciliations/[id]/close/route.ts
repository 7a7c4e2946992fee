import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";
import { closeReconciliation } from "#lib/matching/periods/close-reconciliation.ts";
import { closeReconciliationContract } from "#lib/matching/periods/contract.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(closeReconciliationContract, ({ ctx, params }) => closeReconciliation(ctx, params.id)),
);
