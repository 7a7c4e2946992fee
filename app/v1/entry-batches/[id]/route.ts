import { getEntryBatchContract } from "#lib/entries/contract.ts";
import { getEntryBatch } from "#lib/entries/get-entry-batch.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(getEntryBatchContract, ({ ctx, params }) => getEntryBatch(ctx, params.id)),
);
