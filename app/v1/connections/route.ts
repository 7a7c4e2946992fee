import { createConnectionContract, listConnectionsContract } from "#lib/connections/contract.ts";
import { createConnection } from "#lib/connections/create-connection.ts";
import { listConnections } from "#lib/connections/list-connections.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(listConnectionsContract, ({ ctx, query }) => listConnections(ctx, query)),
  endpoint(createConnectionContract, ({ ctx, body }) => createConnection(ctx, body)),
);
