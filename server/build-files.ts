import type { IncomingMessage, ServerResponse } from "node:http";
import sirv from "sirv";

const MOUNT = "/_next/static";
const YEAR_SECONDS = 31_536_000;

type Fallback = () => Promise<void>;

/**
 * Serves the build's scripts and styles, which are compressed after the build and whose names
 * change with their content. Other requests go to `fallback`.
 */
export function buildFiles(): (
  request: IncomingMessage,
  response: ServerResponse,
  fallback: Fallback,
) => Promise<void> {
  const serve = sirv(".next/static", {
    brotli: true,
    gzip: true,
    immutable: true,
    maxAge: YEAR_SECONDS,
    extensions: [],
    setHeaders(response) {
      response.setHeader("X-Content-Type-Options", "nosniff");
      response.setHeader("Cross-Origin-Resource-Policy", "same-origin");
    },
  });
  return async (request, response, fallback) => {
    const { method, url = "" } = request;
    if (!url.startsWith(`${MOUNT}/`) || (method !== "GET" && method !== "HEAD")) return fallback();
    // A browser can't use part of a compressed file.
    delete request.headers.range;
    request.url = url.slice(MOUNT.length);
    return new Promise((settle, fail) => {
      response.once("close", settle);
      serve(request, response, () => {
        request.url = url;
        fallback().then(settle, fail);
      });
    });
  };
}
