import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";
import { listRequestsContract } from "#lib/request-log/contract.ts";
import { listRequests } from "#lib/request-log/list-requests.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(listRequestsContract, ({ ctx, query }) => listRequests(ctx, query)),
);
