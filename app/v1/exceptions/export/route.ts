import { listExceptionsContract } from "#lib/exceptions/contract.ts";
import { exportExceptions } from "#lib/exceptions/export-exceptions.ts";
import { exportEndpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  exportEndpoint(listExceptionsContract, ({ ctx, query }) => ({
    pages: exportExceptions(ctx, query),
  })),
);
