import type { CallOptions } from "./call.ts";
import { errorOf, TieoutError } from "./errors.ts";
import { sleep } from "./sleep.ts";

export type Transport = {
  baseUrl: string;
  tenant: string;
  token: () => string | Promise<string>;
  fetch: typeof fetch;
  deadlineMs: number;
};
export type Outgoing = {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: BodyInit | undefined;
  /** A file, or the beginning of an export: it may take as long as the whole deadline. */
  isLong: boolean;
};

/** Failures without Retry-After that are repeated. */
const MAX_RETRIES = 5;
const FIRST_BACKOFF_MS = 200;
const MAX_BACKOFF_MS = 5_000;
const FILE_DEADLINE_MS = 15 * 60_000;

/**
 * Sends a request until it succeeds, fails for good, or its deadline is near. Reading the response
 * is part of an attempt: one that was cut is sent again.
 */
export async function send<T>(
  transport: Transport,
  outgoing: Outgoing,
  options: CallOptions,
  read: (response: Response) => Promise<T>,
): Promise<{ response: Response; data: T }> {
  const { signal } = options;
  const isFile = outgoing.isLong && outgoing.body !== undefined;
  const deadlineMs = options.deadlineMs ?? (isFile ? FILE_DEADLINE_MS : transport.deadlineMs);
  const end = performance.now() + deadlineMs;
  const isSentOnce = outgoing.body instanceof ReadableStream;
  for (let attempt = 0, failures = 0; ; attempt += 1) {
    signal?.throwIfAborted();
    const left = end - performance.now();
    // A connection that stalls leaves time for other attempts.
    const limit = outgoing.isLong ? left : Math.min(left, deadlineMs / 3);
    const outcome = await sendOnce(transport, outgoing, limit, signal, read);
    if (!outcome.error) return outcome;
    const { error, response } = outcome;
    const waitMs = retryAfterMs(response);
    if (waitMs === undefined) failures += 1;
    if (!error.retryable || isSentOnce || failures > MAX_RETRIES) throw error;
    const backoff = Math.min(FIRST_BACKOFF_MS * 2 ** attempt, MAX_BACKOFF_MS);
    const delay = (waitMs ?? 0) + backoff * (0.5 + Math.random() / 2);
    if (performance.now() + delay >= end) throw error;
    await sleep(delay, signal);
  }
}

type Outcome<T> =
  | { response: Response; data: T; error?: undefined }
  | { response: Response | undefined; error: TieoutError };

async function sendOnce<T>(
  { baseUrl, fetch, tenant, token }: Transport,
  { method, path, headers, body, isLong }: Outgoing,
  limitMs: number,
  signal: AbortSignal | undefined,
  read: (response: Response) => Promise<T>,
): Promise<Outcome<T>> {
  const credential = await token();
  const controller = new AbortController();
  const abort = () => controller.abort(signal?.reason);
  signal?.addEventListener("abort", abort, { once: true });
  const timer = setTimeout(() => controller.abort(), limitMs);
  try {
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers: { ...headers, Authorization: `Bearer ${credential}`, "X-Tenant-Id": tenant },
      body,
      signal: controller.signal,
      redirect: "manual",
      ...(body instanceof ReadableStream && { duplex: "half" }),
    });
    if (response.ok) return { response, data: await read(response) };
    return { response, error: await errorOf(response) };
  } catch (cause) {
    signal?.throwIfAborted();
    const error = controller.signal.aborted
      ? new TieoutError("timeout", "There was no response in time.", { cause, retryable: true })
      : new TieoutError("connection_failed", "The connection failed.", { cause, retryable: true });
    return { response: undefined, error };
  } finally {
    clearTimeout(timer);
    // An export is still read: the signal stops it until its end.
    if (!isLong || body) signal?.removeEventListener("abort", abort);
  }
}

function retryAfterMs(response: Response | undefined): number | undefined {
  const value = response?.headers.get("retry-after");
  if (!value) return undefined;
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
