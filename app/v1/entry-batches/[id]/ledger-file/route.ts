import { getLedgerFileContract } from "#lib/entries/contract.ts";
import { getLedgerFile } from "#lib/entries/files/get-ledger-file.ts";
import { downloadEndpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  downloadEndpoint(getLedgerFileContract, ({ ctx, params, query }) =>
    getLedgerFile(ctx, params.id, query),
  ),
);
