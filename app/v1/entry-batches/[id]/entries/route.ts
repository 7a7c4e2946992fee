import { listEntriesContract } from "#lib/entries/contract.ts";
import { listEntries } from "#lib/entries/list-entries.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(listEntriesContract, ({ ctx, params, query }) => listEntries(ctx, params.id, query)),
);
