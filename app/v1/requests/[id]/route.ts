import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";
import { getRequestContract } from "#lib/request-log/contract.ts";
import { getRequest } from "#lib/request-log/get-request.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(getRequestContract, ({ ctx, params }) => getRequest(ctx, params.id)),
);
