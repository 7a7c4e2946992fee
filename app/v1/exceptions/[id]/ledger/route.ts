import { getExceptionLedgerContract } from "#lib/exceptions/sla/contract.ts";
import { getExceptionLedger } from "#lib/exceptions/sla/get-exception-ledger.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(getExceptionLedgerContract, ({ ctx, params }) => getExceptionLedger(ctx, params.id)),
);
