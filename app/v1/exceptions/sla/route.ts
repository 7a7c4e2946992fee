import { listSlaExceptionsContract } from "#lib/exceptions/contract.ts";
import { exportSlaExceptions } from "#lib/exceptions/export-sla-exceptions.ts";
import { listSlaExceptions } from "#lib/exceptions/list-sla-exceptions.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(
    listSlaExceptionsContract,
    ({ ctx, query }) => listSlaExceptions(ctx, query),
    ({ ctx, query }) => exportSlaExceptions(ctx, query),
  ),
);
