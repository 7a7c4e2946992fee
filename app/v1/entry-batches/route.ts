import { listEntryBatchesContract } from "#lib/entries/contract.ts";
import { listEntryBatches } from "#lib/entries/list-entry-batches.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(listEntryBatchesContract, ({ ctx, query }) => listEntryBatches(ctx, query)),
);
