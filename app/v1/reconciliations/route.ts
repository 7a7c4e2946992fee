import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";
import {
  createReconciliationContract,
  listReconciliationsContract,
} from "#lib/reconciliations/contract.ts";
import { createReconciliation } from "#lib/reconciliations/create-reconciliation.ts";
import { listReconciliations } from "#lib/reconciliations/list-reconciliations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(listReconciliationsContract, ({ ctx, query }) => listReconciliations(ctx, query)),
  endpoint(createReconciliationContract, ({ ctx, body }) => createReconciliation(ctx, body)),
);
