import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";
import { createImportContract } from "#lib/imports/contract.ts";
import { createImport } from "#lib/imports/create-import.ts";
import { previewImport } from "#lib/imports/preview-import.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(
    createImportContract,
    ({ ctx, params, query, upload }) => createImport(ctx, params.id, query, upload),
    ({ ctx, params, query, upload }) => previewImport(ctx, params.id, query, upload),
  ),
);
