import type { Dispatcher } from "undici";
import { toStorableText } from "../db/storable-text.ts";

const STORED_BYTES_MAX = 16_384;
/**
 * Up to 128 kB of a body are read and discarded to keep the connection alive; a longer one closes
 * it.
 */
const READ_BYTES_MAX = 131_072;
const STORED_HEADERS = [
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
const SECONDS = /^\d+(?:\.\d+)?$/;
/** The database stores an integer. */
const SECONDS_MAX = 999_999_999;
/** The three forms of RFC 9110, 5.6.7 begin with a weekday; some servers send ISO 8601. */
const HTTP_DATE = /^(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)|\d{4}-\d\d-\d\dT)/;

export type ReceiverResponse = {
  status_code: number;
  detail: string | null;
  retry_after_seconds: number | null;
  response_headers: Record<string, string>;
  response_body: string;
  response_truncated: boolean;
};

type Headers = Dispatcher.ResponseData["headers"];

/**
 * Reads a response. Only its status decides success. The first 16 kB of the body are stored; a
 * truncated or endless body changes nothing.
 */
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
      STORED_HEADERS.flatMap((name) => {
        const value = headerOf(headers, name);
        return value === null ? [] : [[name, toStorableText(value).slice(0, HEADER_MAX)]];
      }),
    ),
    // Never decompressed, since a few bytes can expand to gigabytes.
    response_body:
      encoding !== null && encoding !== "identity" ? "" : toStorableText(bytes.toString("utf8")),
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
      if (size < STORED_BYTES_MAX) chunks.push(chunk.subarray(0, STORED_BYTES_MAX - size));
      size += chunk.length;
      if (size > READ_BYTES_MAX) break;
    }
    complete = size <= STORED_BYTES_MAX;
  } catch {
    // The body timed out or the connection broke: the bytes so far are stored.
  }
  return { bytes: Buffer.concat(chunks), complete };
}

function describe(status: number): string {
  if (status >= 300 && status < 400)
    return (
      `The receiver responded with ${status}, a redirect. ` +
      "Redirects aren't followed: register the final URL."
    );
  return `The receiver responded with ${status}.`;
}

/**
 * The delay of Retry-After in seconds. A date is compared with the receiver's own clock if it sends
 * one. Null for anything that is neither: Date.parse would read -5 and 7.5 as days of 2001.
 */
function retryAfterSeconds(headers: Headers): number | null {
  const value = headerOf(headers, "retry-after")?.trim() ?? "";
  const seconds = SECONDS.test(value) ? Number(value) : secondsUntil(value, headers);
  return Number.isNaN(seconds) ? null : Math.min(Math.max(0, Math.ceil(seconds)), SECONDS_MAX);
}

function secondsUntil(value: string, headers: Headers): number {
  if (!HTTP_DATE.test(value)) return Number.NaN;
  const receiverClock = Date.parse(headerOf(headers, "date") ?? "");
  return (Date.parse(value) - (Number.isNaN(receiverClock) ? Date.now() : receiverClock)) / 1000;
}

function headerOf(headers: Headers, name: string): string | null {
  const value = headers[name];
  return value === undefined ? null : Array.isArray(value) ? value.join(", ") : value;
}
