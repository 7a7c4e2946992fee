import { listEntriesContract } from "#lib/entries/contract.ts";
import { exportEntries } from "#lib/entries/export-entries.ts";
import { exportEndpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  exportEndpoint(listEntriesContract, ({ ctx, params, query }) =>
    exportEntries(ctx, params.id, query),
  ),
);
