import { listConnectionFilesContract } from "#lib/connections/contract.ts";
import { listConnectionFiles } from "#lib/connections/list-connection-files.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(listConnectionFilesContract, ({ ctx, params, query }) =>
    listConnectionFiles(ctx, params.id, query),
  ),
);
