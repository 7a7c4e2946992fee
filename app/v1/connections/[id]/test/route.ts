import { testConnectionContract } from "#lib/connections/contract.ts";
import { testConnection } from "#lib/connections/test-connection.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(testConnectionContract, ({ ctx, params }) => testConnection(ctx, params.id)),
);
