import { updateExceptionsContract } from "#lib/exceptions/contract.ts";
import { updateExceptions } from "#lib/exceptions/update-exceptions.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(updateExceptionsContract, ({ ctx, body }) => updateExceptions(ctx, body)),
);
