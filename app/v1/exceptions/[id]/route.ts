import { getExceptionContract, updateExceptionContract } from "#lib/exceptions/contract.ts";
import { getException } from "#lib/exceptions/get-exception.ts";
import { updateException } from "#lib/exceptions/update-exception.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(getExceptionContract, ({ ctx, params }) => getException(ctx, params.id)),
  endpoint(updateExceptionContract, ({ ctx, params, body }) =>
    updateException(ctx, params.id, body),
  ),
);
