import { markEntryBatchExportedContract } from "#lib/entries/contract.ts";
import { markEntryBatchExported } from "#lib/entries/mark-entry-batch-exported.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(markEntryBatchExportedContract, ({ ctx, params, body }) =>
    markEntryBatchExported(ctx, params.id, body.ledger_reference),
  ),
);
