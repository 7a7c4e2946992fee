import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";
import { listImportsContract } from "#lib/imports/contract.ts";
import { listImports } from "#lib/imports/list-imports.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(listImportsContract, ({ ctx, query }) => listImports(ctx, query)),
);
