import { pauseExceptionContract } from "#lib/exceptions/pauses/contract.ts";
import { pauseException } from "#lib/exceptions/pauses/pause-exception.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(pauseExceptionContract, ({ ctx, params, body }) => pauseException(ctx, params.id, body)),
);
