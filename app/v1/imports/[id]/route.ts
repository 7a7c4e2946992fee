import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";
import { getImportContract } from "#lib/imports/contract.ts";
import { getImport } from "#lib/imports/get-import.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(getImportContract, ({ ctx, params }) => getImport(ctx, params.id)),
);
