import { ApiError, invalidRequest } from "../errors.ts";

const MAX_DEPTH = 64;
const DISCARDED_MAX_BYTES = 8 * 1024 * 1024;

/**
 * A request's body as a JSON object, null where there is none.
 * @throws ApiError 415 on another media type, 413 where it is too large, 400 on anything that is not one well-formed JSON object.
 */
export async function readJsonObject(
  request: Request,
  mediaTypes: readonly string[],
  maxBytes: number,
): Promise<Record<string, unknown> | null> {
  const bytes = await readBytes(request, maxBytes);
  if (bytes.length === 0) return null;
  const mediaType = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase() ?? "";
  if (!mediaTypes.includes(mediaType)) {
    throw new ApiError("unsupported_media_type", `Send the body as ${mediaTypes.join(" or ")}.`);
  }
  return parseObject(bytes);
}

/** Reads on past what is too much: a body left unread would keep the connection's next request waiting for ever. */
async function readBytes(request: Request, maxBytes: number): Promise<Buffer> {
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
  return new ApiError("payload_too_large", `This body may have at most ${maxBytes / 1024} KiB.`, { headers });
}

function parseObject(bytes: Buffer): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw invalidRequest([{ path: "", message: "The body must be well-formed JSON in UTF-8." }]);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw invalidRequest([{ path: "", message: "The body must be a JSON object." }]);
  }
  requireStorable(value);
  return value as Record<string, unknown>;
}

/** What Postgres cannot keep, or what would cost too much to look at, is refused here. */
function requireStorable(root: unknown): void {
  const open: { value: unknown; path: string; depth: number }[] = [{ value: root, path: "", depth: 1 }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { value, path, depth } = next;
    if (typeof value === "string") requireText(value, path);
    if (typeof value === "number" && !Number.isFinite(value)) throw invalidRequest([{ path, message: "The number is too large." }]);
    if (typeof value !== "object" || value === null) continue;
    if (depth > MAX_DEPTH) throw invalidRequest([{ path: "", message: `JSON may be nested ${MAX_DEPTH} deep at most.` }]);
    for (const [key, child] of Object.entries(value)) {
      requireName(key, path);
      open.push({ value: child, path: path === "" ? key : `${path}.${key}`, depth: depth + 1 });
    }
  }
}

/** @throws ApiError 400 for a name that zod would pass over in silence, or that is no sound text. */
function requireName(name: string, path: string): void {
  requireText(name, path);
  if (name === "__proto__") throw invalidRequest([{ path: path === "" ? name : `${path}.${name}`, message: "There is no such field." }]);
}

/** @throws ApiError 400 where the text has a NUL character or a lone surrogate. */
export function requireText(value: string, path: string): void {
  if (value.includes("\0") || !value.isWellFormed()) {
    throw invalidRequest([{ path, message: "Text must be well-formed Unicode without NUL characters." }]);
  }
}
