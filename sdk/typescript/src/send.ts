import { errorOf, TieoutError } from "./errors.ts";
import { initOf, type Request, type Send, type TieoutOptions, urlOf } from "./request.ts";
import { sleep } from "./sleep.ts";

/** The maximum number of retries after failures without Retry-After. */
const MAX_RETRIES = 5;
const FIRST_BACKOFF_MS = 200;
const MAX_BACKOFF_MS = 5_000;
const DEADLINE_MS = 60_000;
const FILE_DEADLINE_MS = 15 * 60_000;
/** The longest time that a timer can have. A longer one would end at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Sends requests as one caller. A function hides the key from logs that print a resource. */
export function sender(client: TieoutOptions): Send {
  requireOptions(client);
  return async (request) => {
    const { file, isExport, query, options = {} } = request;
    const defaultMs = file === undefined ? (client.deadlineMs ?? DEADLINE_MS) : FILE_DEADLINE_MS;
    const deadlineMs = options.deadlineMs ?? defaultMs;
    // A long poll responds only after its wait.
    const { wait = 0 } = (query ?? {}) as { wait?: number };
    const end = performance.now() + deadlineMs + wait * 1000;
    // A stalled connection leaves time for other attempts.
    const attemptMs = file !== undefined || isExport ? deadlineMs : deadlineMs / 3;
    const init = initOf(client, request);
    for (let attempt = 0, failures = 0; ; attempt += 1) {
      options.signal?.throwIfAborted();
      const limitMs = Math.min(attemptMs + wait * 1000, end - performance.now(), MAX_TIMER_MS);
      try {
        return await sendOnce(client, request, init, limitMs);
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

type Init = ReturnType<typeof initOf>;

/** Reading the response is part of an attempt: a truncated one is requested again. */
async function sendOnce(client: TieoutOptions, request: Request, init: Init, limitMs: number) {
  const { isExport, options: { signal } = {} } = request;
  let credential = client.key;
  const controller = new AbortController();
  // AbortSignal.any() would keep a kilobyte of each call until a long-lived signal is collected.
  const abort = () => controller.abort(signal?.reason);
  signal?.addEventListener("abort", abort, { once: true });
  const timer = setTimeout(() => controller.abort(), limitMs);
  try {
    credential ??= await unlessAborted(controller.signal, client.token?.());
    const headers = { ...init.headers, Authorization: `Bearer ${credential}` };
    const sent = { ...init, headers, signal: controller.signal };
    const response = await (client.fetch ?? fetch)(urlOf(client, request), sent);
    if (!response.ok) throw await errorOf(response);
    return { response, data: isExport ? undefined : await jsonOf(response) };
  } catch (cause) {
    signal?.throwIfAborted();
    const isLate = controller.signal.aborted;
    const isTokenFailure = credential === undefined && !isLate;
    if (cause instanceof TieoutError || isTokenFailure) throw cause;
    const more = { cause, retryable: true };
    throw isLate
      ? new TieoutError("timeout", "There was no response in time.", more)
      : new TieoutError("connection_failed", `The connection to ${client.baseUrl} failed.`, more);
  } finally {
    clearTimeout(timer);
    // An export is still being read: the signal applies until its end.
    if (!isExport) signal?.removeEventListener("abort", abort);
  }
}

/** The promise's value, unless the signal aborts first. */
function unlessAborted<T>(signal: AbortSignal, promise: T | PromiseLike<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    Promise.resolve(promise).then(resolve, reject);
  });
}

/** A proxy's page is not a response of the API, whatever its status. Only 204 has no data. */
async function jsonOf(response: Response): Promise<unknown> {
  const { status } = response;
  const text = await response.text();
  if (status === 204) return undefined;
  try {
    return JSON.parse(text);
  } catch (cause) {
    const message = "The response is no JSON: is the address right?";
    throw new TieoutError("unexpected_response", message, { cause, status });
  }
}
