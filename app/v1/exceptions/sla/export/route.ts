import { listSlaExceptionsContract } from "#lib/exceptions/contract.ts";
import { exportSlaExceptions } from "#lib/exceptions/export-sla-exceptions.ts";
import { exportEndpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  exportEndpoint(listSlaExceptionsContract, ({ ctx, query }) => ({
    pages: exportSlaExceptions(ctx, query),
  })),
);
