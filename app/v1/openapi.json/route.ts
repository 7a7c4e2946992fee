import { openApiDocument } from "#lib/http/openapi.ts";
import { publicDocument } from "#lib/http/public-document.ts";
import { route } from "#lib/http/route.ts";

/** Public: no credential, no tenant. */
export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(publicDocument(openApiDocument()));
