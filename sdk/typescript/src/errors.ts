import type { ConflictReason, ErrorCode, Problem } from "./generated/types.gen.ts";

/** Codes of failures that have no response of the API. */
export type ClientErrorCode =
  | "connection_failed"
  | "timeout"
  | "unexpected_response"
  | "incomplete_response"
  | "invalid_signature"
  | "failed";

/** A call that failed. `code` is for your program, `message` for people. */
export class TieoutError extends Error {
  override readonly name = "TieoutError";
  /** What went wrong. Codes of later versions of the API are passed through. */
  declare readonly code: ErrorCode | ClientErrorCode | (string & {});
  /** The status of the response; undefined if there was none. */
  declare readonly status: number | undefined;
  /** With code `conflict`: why. */
  declare readonly reason: ConflictReason | (string & {}) | undefined;
  /** Identifies the request in the request log and for support. */
  declare readonly requestId: string | undefined;
  /** With code `invalid_request`: each invalid field. */
  declare readonly errors: readonly { path: string; message: string }[];
  /** Whether the same call can succeed later. */
  declare readonly retryable: boolean;
  /** How long the API asks to wait before the next attempt. */
  declare readonly retryAfterMs: number | undefined;

  constructor(code: string, message: string, more: Partial<TieoutError> = {}) {
    super(message, { cause: more.cause });
    const { status, reason, requestId, errors = [], retryable = false, retryAfterMs } = more;
    Object.assign(this, { code, status, reason, requestId, errors, retryable, retryAfterMs });
  }
}

const RETRIED = new Set([408, 429, 500, 502, 503, 504]);

/** The error of a response, which may come from a proxy and be no problem document. */
export async function errorOf(response: Response): Promise<TieoutError> {
  const { status, headers } = response;
  const problem: Partial<Problem> = (await response.json().catch(() => null)) ?? {};
  const { code = "unexpected_response", detail = `The response has status ${status}.` } = problem;
  return new TieoutError(code, detail, {
    status,
    reason: problem.reason,
    requestId: problem.request_id ?? headers.get("x-request-id") ?? undefined,
    errors: problem.errors,
    retryable: RETRIED.has(status) || (status === 409 && problem.retryable === true),
    retryAfterMs: msUntil(headers.get("retry-after") ?? ""),
  });
}

/** Retry-After is in seconds, or a date. */
function msUntil(retryAfter: string): number | undefined {
  const isCount = /^\d+$/.test(retryAfter);
  const ms = isCount ? Number(retryAfter) * 1000 : Date.parse(retryAfter) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
