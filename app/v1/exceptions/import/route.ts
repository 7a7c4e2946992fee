import { importExceptionsContract } from "#lib/exceptions/import/contract.ts";
import { importExceptions } from "#lib/exceptions/import/import-exceptions.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(importExceptionsContract, ({ ctx, upload }) =>
    importExceptions(ctx, upload.mediaType, upload.stream),
  ),
);
