import type { Dispatcher } from "undici";
import { storable } from "../db/storable-text.ts";

const KEPT_BYTES = 16_384;
/** A little more is read and thrown away, to keep the connection; beyond that it is cut. */
const READ_BYTES = 131_072;
const KEPT_HEADERS = [
  "content-type",
  "content-length",
  "content-encoding",
  "location",
  "retry-after",
  "server",
  "www-authenticate",
  "date",
];
const HEADER_MAX = 500;

export type ReceiverResponse = {
  status_code: number;
  detail: string | null;
  retry_after_seconds: number | null;
  response_headers: Record<string, string>;
  response_body: string;
  response_truncated: boolean;
};

type Headers = Dispatcher.ResponseData["headers"];

/** The status decides. Of the body the first 16 kB are kept; one that is cut short or never ends changes nothing. */
export async function readResponse(
  status: number,
  headers: Headers,
  body: Dispatcher.ResponseData["body"],
): Promise<ReceiverResponse> {
  const { bytes, complete } = await readBounded(body);
  const encoding = headerOf(headers, "content-encoding");
  return {
    status_code: status,
    detail: status >= 200 && status < 300 ? null : describe(status),
    retry_after_seconds: retryAfterSeconds(headers),
    response_headers: Object.fromEntries(
      KEPT_HEADERS.flatMap((name) => {
        const value = headerOf(headers, name);
        return value === null ? [] : [[name, storable(value).slice(0, HEADER_MAX)]];
      }),
    ),
    // Never inflated: a few bytes can stand for gigabytes.
    response_body:
      encoding !== null && encoding !== "identity" ? "" : storable(bytes.toString("utf8")),
    response_truncated: !complete,
  };
}

async function readBounded(
  body: Dispatcher.ResponseData["body"],
): Promise<{ bytes: Buffer; complete: boolean }> {
  const chunks: Buffer[] = [];
  let size = 0;
  let complete = false;
  try {
    for await (const chunk of body) {
      if (size < KEPT_BYTES) chunks.push(chunk.subarray(0, KEPT_BYTES - size));
      size += chunk.length;
      if (size > READ_BYTES) break;
    }
    complete = size <= KEPT_BYTES;
  } catch {
    // Its end did not come in time, or the connection broke: what came until then is kept.
  }
  return { bytes: Buffer.concat(chunks), complete };
}

function describe(status: number): string {
  if (status >= 300 && status < 400)
    return `The receiver responded with ${status}, a redirect. Redirects aren't followed: register the final URL.`;
  return `The receiver responded with ${status}.`;
}

/** Seconds, or a date by the receiver's own clock where it sends one. */
function retryAfterSeconds(headers: Headers): number | null {
  const value = headerOf(headers, "retry-after");
  if (value === null) return null;
  if (/^\d{1,9}$/.test(value)) return Number(value);
  const seconds =
    (Date.parse(value) - Date.parse(headerOf(headers, "date") ?? new Date().toISOString())) / 1000;
  return Number.isFinite(seconds) ? Math.min(Math.max(0, Math.round(seconds)), 999_999_999) : null;
}

function headerOf(headers: Headers, name: string): string | null {
  const value = headers[name];
  return value === undefined ? null : Array.isArray(value) ? value.join(", ") : value;
}
