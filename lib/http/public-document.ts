import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { entityTag } from "../answer.ts";
import { isKnown } from "./conditional.ts";
import { openToBrowsers } from "./cors.ts";
import { newRequestId } from "./endpoint.ts";
import { problemResponse } from "./problem.ts";
import type { Served } from "./route.ts";

const MINUTES_5 = 300;

type Encoding = "br" | "gzip" | "identity";

/** A JSON document for anybody: written and compressed once, with an `ETag` and leave for pages of any origin. */
export function publicDocument(document: object): Served {
  const text = JSON.stringify(document);
  const etag = entityTag(null, text);
  const bodies: Record<Encoding, Uint8Array<ArrayBuffer>> = {
    br: new Uint8Array(brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } })),
    gzip: new Uint8Array(gzipSync(text)),
    identity: new TextEncoder().encode(text),
  };
  return {
    contract: { method: "GET", access: { roles: "any", scope: null, service: true, publishable: true } },
    async serve({ headers: sent }) {
      const requestId = sent.get("x-request-id") ?? newRequestId();
      const headers = openToBrowsers(
        new Headers({ "X-Request-Id": requestId, "Cache-Control": `public, max-age=${MINUTES_5}`, ETag: etag, Vary: "Accept-Encoding" }),
      );
      try {
        if (isKnown(sent, etag)) return new Response(null, { status: 304, headers });
        const encoding = bestEncoding(sent.get("accept-encoding"));
        headers.set("Content-Type", "application/json");
        if (encoding !== "identity") headers.set("Content-Encoding", encoding);
        return new Response(bodies[encoding], { headers });
      } catch (error) {
        return problemResponse(error, requestId, headers);
      }
    },
  };
}

/** By the weights of `Accept-Encoding` (RFC 9110, 12.5.3); of equals, the smaller. */
export function bestEncoding(header: string | null): Encoding {
  const weights = new Map((header ?? "").split(",").map(weightOf));
  const weight = (encoding: Encoding) => weights.get(encoding) ?? weights.get("*") ?? 0;
  const [best] = (["br", "gzip"] as const).filter((encoding) => weight(encoding) > 0).sort((left, right) => weight(right) - weight(left));
  return best ?? "identity";
}

function weightOf(range: string): [name: string, weight: number] {
  const [name = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
  const q = parameters.find((parameter) => parameter.startsWith("q="));
  return [name, q === undefined ? 1 : Number(q.slice(2)) || 0];
}
