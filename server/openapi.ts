import type { IncomingMessage, ServerResponse } from "node:http";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { isNotModified } from "#lib/http/conditional-requests.ts";
import { openToBrowsers, preflight } from "#lib/http/cors.ts";
import { entityTag } from "#lib/request/answer.ts";
import { env } from "#lib/runtime/env.ts";
import { ApiError } from "#lib/wire/errors.ts";
import { commonHeaders } from "./api.ts";
import { bestEncoding, type Encoding } from "./encoding.ts";

export const OPENAPI_PATH = "/v1/openapi.json";
const ALLOW = "GET, HEAD, OPTIONS";
const FRESH_SECONDS = 300;

type Document = {
  etag: string;
  bodies: Record<Encoding, Buffer>;
  headers: [string, string][];
};

let document: Promise<Document> | undefined;

/**
 * Serves the OpenAPI document to anyone. It is written and compressed once, before the first
 * response. It is not a route, because Next would compress each response again.
 * @throws ApiError for another method, or an invalid `If-None-Match`
 */
export async function serveOpenApi(
  { method, headers }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const answer = openToBrowsers(
    new Headers({ "Cache-Control": `public, max-age=${FRESH_SECONDS}`, Vary: "Accept-Encoding" }),
  );
  if (method === "OPTIONS") {
    response
      .setHeaders(preflight(new Headers({ Allow: ALLOW }), "GET"))
      .writeHead(204)
      .end();
    return;
  }
  if (method !== "GET" && method !== "HEAD")
    throw new ApiError("method_not_allowed", `This path only supports ${ALLOW}.`, {
      headers: { Allow: ALLOW },
    });
  document ??= buildDocument();
  const { etag, bodies, headers: common } = await document;
  answer.set("ETag", etag);
  for (const [name, value] of common) answer.set(name, value);
  if (
    isNotModified(
      new Headers(
        headers["if-none-match"] === undefined ? {} : { "If-None-Match": headers["if-none-match"] },
      ),
      etag,
    )
  ) {
    response.setHeaders(answer).writeHead(304).end();
    return;
  }
  const encoding = bestEncoding(headers["accept-encoding"]);
  if (encoding !== "identity") answer.set("Content-Encoding", encoding);
  answer.set("Content-Type", "application/json");
  answer.set("Content-Length", String(bodies[encoding].length));
  response
    .setHeaders(answer)
    .writeHead(200)
    .end(method === "HEAD" ? undefined : bodies[encoding]);
}

async function buildDocument(): Promise<Document> {
  const { publishedDocument } = await import("#lib/openapi/published.ts");
  const text = JSON.stringify(publishedDocument(new URL(env().NEXTAUTH_URL).origin));
  return {
    headers: await commonHeaders(),
    etag: entityTag(null, text),
    bodies: {
      br: brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
      gzip: gzipSync(text, { level: 9 }),
      identity: Buffer.from(text),
    },
  };
}
