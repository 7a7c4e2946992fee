import {
  deleteConnectionContract,
  getConnectionContract,
  updateConnectionContract,
} from "#lib/connections/contract.ts";
import { deleteConnection } from "#lib/connections/delete-connection.ts";
import { getConnection } from "#lib/connections/get-connection.ts";
import { updateConnection } from "#lib/connections/update-connection.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(getConnectionContract, ({ ctx, params }) => getConnection(ctx, params.id)),
  endpoint(updateConnectionContract, ({ ctx, params, body }) =>
    updateConnection(ctx, params.id, body),
  ),
  endpoint(deleteConnectionContract, ({ ctx, params }) => deleteConnection(ctx, params.id)),
);
