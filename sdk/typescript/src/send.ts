import { errorOf, TieoutError } from "./errors.ts";
import { initOf, type Request, type Send, search } from "./request.ts";
import { sleep } from "./sleep.ts";

/** The address of the API, and the caller. */
export type TieoutOptions = {
  /** The tenant of all calls. */
  tenant: string;
  /** The address of the API, such as `https://tieout.example`. */
  baseUrl: string;
  /** The time for a call with all its retries, by default a minute. */
  deadlineMs?: number;
  /** Replaces the global `fetch`. */
  fetch?: typeof fetch;
} & (
  | { /** An API key, `<key_id>.<key_secret>`. */ key: string; token?: undefined }
  | { /** Returns a token, before each attempt. */ token: () => Promise<string>; key?: undefined }
);

/** Failures without Retry-After that are repeated. */
const MAX_RETRIES = 5;
const FIRST_BACKOFF_MS = 200;
const MAX_BACKOFF_MS = 5_000;
const DEADLINE_MS = 60_000;
const FILE_DEADLINE_MS = 15 * 60_000;
/** The longest time of a timer. A longer one would end at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Sends requests as one caller. A function hides the key from logs that print a resource. */
export function sender(client: TieoutOptions): Send {
  requireOptions(client);
  const address = client.baseUrl.replace(/\/+$/, "");
  return async (request) => {
    const { file, isExport, query, options = {} } = request;
    const usualMs = file === undefined ? (client.deadlineMs ?? DEADLINE_MS) : FILE_DEADLINE_MS;
    const deadlineMs = options.deadlineMs ?? usualMs;
    // A long poll responds only after its wait.
    const { wait = 0 } = (query ?? {}) as { wait?: number };
    const end = performance.now() + deadlineMs + wait * 1000;
    // A stalled connection leaves time for other attempts.
    const attemptMs = file !== undefined || isExport ? deadlineMs : deadlineMs / 3;
    const init = initOf(request);
    const url = `${address}${request.path}${search(query)}`;
    for (let attempt = 0, failures = 0; ; attempt += 1) {
      options.signal?.throwIfAborted();
      const limitMs = Math.min(attemptMs + wait * 1000, end - performance.now(), MAX_TIMER_MS);
      try {
        return await sendOnce(client, request, url, init, limitMs);
      } catch (error) {
        if (!(error instanceof TieoutError && error.retryable)) throw error;
        if (error.retryAfterMs === undefined) failures += 1;
        const backoff = Math.min(FIRST_BACKOFF_MS * 2 ** attempt, MAX_BACKOFF_MS);
        const delay = (error.retryAfterMs ?? 0) + backoff * (0.5 + Math.random() / 2);
        const isLate = performance.now() + delay >= end;
        if (isLate || failures > MAX_RETRIES || init.body instanceof ReadableStream) throw error;
        await sleep(delay, options.signal);
      }
    }
  };
}

/**
 * Without this check, an environment variable that isn't set would look like a wrong credential.
 */
function requireOptions({ key, token, tenant, baseUrl }: TieoutOptions): void {
  if (!key && !token) throw new TypeError("The key is missing: an API key, or a token function.");
  if (!tenant) throw new TypeError("The tenant is missing.");
  if (!/^https?:\/\/./.test(baseUrl))
    throw new TypeError("The baseUrl is an address such as https://tieout.example.");
}

/** Reading the response is part of an attempt: a truncated one is requested again. */
async function sendOnce(
  client: TieoutOptions,
  { isExport, options: { signal } = {} }: Request,
  url: string,
  init: ReturnType<typeof initOf>,
  limitMs: number,
) {
  let credential = client.key;
  const controller = new AbortController();
  // AbortSignal.any() would keep a kilobyte of each call until a long-lived signal is collected.
  const abort = () => controller.abort(signal?.reason);
  signal?.addEventListener("abort", abort, { once: true });
  const timer = setTimeout(() => controller.abort(), limitMs);
  try {
    credential ??= await unlessAborted(controller.signal, client.token?.());
    const response = await (client.fetch ?? fetch)(url, {
      ...init,
      headers: {
        ...init.headers,
        Authorization: `Bearer ${credential}`,
        "X-Tenant-Id": client.tenant,
      },
      signal: controller.signal,
    });
    if (!response.ok) throw await errorOf(response);
    return { response, data: isExport ? undefined : await jsonOf(response) };
  } catch (cause) {
    signal?.throwIfAborted();
    const isOfToken = credential === undefined && !controller.signal.aborted;
    if (cause instanceof TieoutError || isOfToken) throw cause;
    const more = { cause, retryable: true };
    throw controller.signal.aborted
      ? new TieoutError("timeout", "There was no response in time.", more)
      : new TieoutError("connection_failed", `The connection to ${client.baseUrl} failed.`, more);
  } finally {
    clearTimeout(timer);
    // An export is still being read: the signal applies until its end.
    if (!isExport) signal?.removeEventListener("abort", abort);
  }
}

/** What the promise gives, unless the signal aborts before. */
function unlessAborted<T>(signal: AbortSignal, promise: T | PromiseLike<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    Promise.resolve(promise).then(resolve, reject);
  });
}

/** A proxy's page is not a response of the API, whatever its status. Only 204 has no data. */
async function jsonOf(response: Response): Promise<unknown> {
  const text = await response.text();
  if (response.status === 204) return undefined;
  try {
    return JSON.parse(text);
  } catch (cause) {
    const more = { cause, status: response.status };
    throw new TieoutError(
      "unexpected_response",
      "The response is no JSON: is the address right?",
      more,
    );
  }
}
