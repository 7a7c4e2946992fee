import { openApiDocument } from "#lib/http/openapi.ts";
import { route } from "#lib/http/route.ts";

const document = openApiDocument();

/** Public: no credential, no tenant. */
async function serve(): Promise<Response> {
  return Response.json(document, { headers: { "Cache-Control": "public, max-age=300" } });
}

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({ contract: { method: "GET" }, serve });
