import { readQueued } from "../runtime/tenant-queue.ts";
import { ApiError, invalidRequest } from "../wire/errors.ts";
import { parseJsonObject } from "../wire/json-object.ts";

const DISCARDED_MAX_BYTES = 8 * 1024 * 1024;

/**
 * Reads a request's body as a JSON object; null without a body. `onRead` receives the raw bytes.
 * @throws ApiError 415 for another media type, 413 if it is too large, 400 if it is not one
 * well-formed JSON object, 429 if too many large bodies of the tenant are waiting.
 */
export async function readJsonObject(
  tenantId: string,
  request: Request,
  mediaTypes: readonly string[],
  maxBytes: number,
  onRead?: (bytes: Buffer) => void,
): Promise<Record<string, unknown> | null> {
  const bytes = await readBytes(request, maxBytes);
  onRead?.(bytes);
  if (bytes.length === 0) return null;
  requireMediaType(request, mediaTypes);
  return readQueued(tenantId, bytes.length, () => parseJsonObject(decode(bytes)));
}

/**
 * The body's media type, without parameters. @throws ApiError 415 if it is not one of `mediaTypes`,
 * or the body is compressed.
 */
export function requireMediaType(request: Request, mediaTypes: readonly string[]): string {
  const encoding = request.headers.get("content-encoding")?.trim().toLowerCase() ?? "identity";
  if (encoding !== "identity") {
    const headers = { "Accept-Encoding": "identity" };
    throw new ApiError(
      "unsupported_media_type",
      "Send the body uncompressed, without Content-Encoding.",
      { headers },
    );
  }
  const mediaType = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase() ?? "";
  if (mediaTypes.includes(mediaType)) return mediaType;
  throw new ApiError("unsupported_media_type", `Send the body as ${mediaTypes.join(" or ")}.`);
}

/**
 * Reads up to 8 MB over the limit and discards it: an unread body would block the connection's next
 * request for ever.
 */
export async function readBytes(request: Request, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.length;
    if (size > maxBytes + DISCARDED_MAX_BYTES) throw tooLarge(maxBytes, { Connection: "close" });
    if (size <= maxBytes) chunks.push(chunk);
  }
  if (size > maxBytes) throw tooLarge(maxBytes);
  return Buffer.concat(chunks);
}

function tooLarge(maxBytes: number, headers?: Record<string, string>): ApiError {
  return new ApiError("payload_too_large", `The body can be at most ${maxBytes / 1024} KiB.`, {
    headers,
  });
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw invalidRequest([{ path: "", message: "Send well-formed JSON in UTF-8." }]);
  }
}
