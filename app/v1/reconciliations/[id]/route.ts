import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";
import {
  getReconciliationContract,
  updateReconciliationContract,
} from "#lib/reconciliations/contract.ts";
import { getReconciliation } from "#lib/reconciliations/get-reconciliation.ts";
import { updateReconciliation } from "#lib/reconciliations/update-reconciliation.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(getReconciliationContract, ({ ctx, params }) => getReconciliation(ctx, params.id)),
  endpoint(updateReconciliationContract, ({ ctx, params, body }) =>
    updateReconciliation(ctx, params.id, body),
  ),
);
