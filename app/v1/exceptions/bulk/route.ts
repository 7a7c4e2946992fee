import { bulkUpdateExceptions } from "#lib/exceptions/bulk/bulk-update-exceptions.ts";
import { updateExceptionsContract } from "#lib/exceptions/bulk/contract.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(updateExceptionsContract, ({ ctx, body }) => bulkUpdateExceptions(ctx, body)),
);
