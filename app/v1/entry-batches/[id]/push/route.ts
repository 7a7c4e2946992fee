import { pushEntryBatchContract } from "#lib/entries/contract.ts";
import { pushEntryBatch } from "#lib/entries/push-entry-batch.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(pushEntryBatchContract, ({ ctx, params }) => pushEntryBatch(ctx, params.id)),
);
