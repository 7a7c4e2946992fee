import { fetchConnectionContract } from "#lib/connections/contract.ts";
import { fetchConnection } from "#lib/connections/fetch-connection.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(fetchConnectionContract, ({ ctx, params }) => fetchConnection(ctx, params.id)),
);
