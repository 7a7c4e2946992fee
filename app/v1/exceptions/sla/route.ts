import { listSlaExceptionsContract } from "#lib/exceptions/contract.ts";
import { listSlaExceptions } from "#lib/exceptions/list-sla-exceptions.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(listSlaExceptionsContract, ({ ctx, query }) => listSlaExceptions(ctx, query)),
);
