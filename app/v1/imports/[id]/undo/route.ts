import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";
import { undoImportContract } from "#lib/imports/contract.ts";
import { undoImport } from "#lib/imports/undo-import.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(undoImportContract, ({ ctx, params }) => undoImport(ctx, params.id)),
);
