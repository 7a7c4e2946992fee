import { createExceptionContract, listExceptionsContract } from "#lib/exceptions/contract.ts";
import { createException } from "#lib/exceptions/create-exception.ts";
import { listExceptions } from "#lib/exceptions/list-exceptions.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(listExceptionsContract, ({ ctx, query }) => listExceptions(ctx, query)),
  endpoint(createExceptionContract, ({ ctx, body }) => createException(ctx, body)),
);
