import { previewEntriesContract } from "#lib/entries/rules/contract.ts";
import { previewEntries } from "#lib/entries/rules/preview-entries.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(previewEntriesContract, ({ ctx, params, body }) => previewEntries(ctx, params.id, body)),
);
