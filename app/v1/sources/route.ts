import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";
import { createSourceContract, listSourcesContract } from "#lib/sources/contract.ts";
import { createSource } from "#lib/sources/create-source.ts";
import { listSources } from "#lib/sources/list-sources.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(listSourcesContract, ({ ctx, query }) => listSources(ctx, query)),
  endpoint(createSourceContract, ({ ctx, body }) => createSource(ctx, body)),
);
