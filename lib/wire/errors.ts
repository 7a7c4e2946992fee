import type { ConflictReason } from "./conflicts.ts";

/**
 * The only error table: code → status and title. The docs pages and OpenAPI are derived from it.
 */
export const ERRORS = {
  invalid_request: { status: 400, title: "Invalid request" },
  tenant_required: { status: 400, title: "X-Tenant-Id must name one tenant" },
  idempotency_key_required: { status: 400, title: "Idempotency key required" },
  unauthenticated: { status: 401, title: "Missing or invalid credential" },
  tenant_forbidden: { status: 403, title: "No access to this tenant" },
  role_required: { status: 403, title: "Your role doesn't allow this" },
  scope_required: { status: 403, title: "The API key's scopes don't allow this" },
  ip_not_allowed: { status: 403, title: "The API key can't be used from this address" },
  browser_forbidden: { status: 403, title: "The service-role key can't be used from a browser" },
  not_found: { status: 404, title: "Not found" },
  method_not_allowed: { status: 405, title: "Method not allowed" },
  conflict: { status: 409, title: "Not possible in the current state" },
  invalid_transition: { status: 409, title: "Invalid status change" },
  precondition_failed: { status: 412, title: "Changed since you read it" },
  payload_too_large: { status: 413, title: "Body too large" },
  uri_too_long: { status: 414, title: "URL too long" },
  unsupported_media_type: { status: 415, title: "Unsupported media type" },
  idempotency_mismatch: { status: 422, title: "Idempotency key already used for another request" },
  rate_limited: { status: 429, title: "Too many requests" },
  headers_too_large: { status: 431, title: "Headers too large" },
  internal: { status: 500, title: "Something went wrong on our side" },
  unavailable: { status: 503, title: "Temporarily unavailable" },
} as const;

export type ErrorCode = keyof typeof ERRORS;

export const ERROR_CODES = Object.keys(ERRORS) as ErrorCode[];

/** One error of a request. `path` is dotted and starts in the body, query or header. */
export type FieldError = { path: string; message: string };

type ErrorOptions = {
  errors?: FieldError[];
  /** Why, if the code is `conflict`. */
  reason?: ConflictReason;
  headers?: Record<string, string>;
  cause?: unknown;
};

const MARK = Symbol.for("tieout.api-error");

/**
 * The only error class. `detail` is a sentence for the caller; `cause` is logged and never sent.
 * instanceof checks a mark, because the server and Next's bundle for pages load separate copies of
 * this module.
 */
export class ApiError extends Error {
  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === "object" && value !== null && MARK in value;
  }

  readonly [MARK] = true;
  readonly code: ErrorCode;
  readonly errors: FieldError[] | undefined;
  readonly reason: ConflictReason | undefined;
  readonly headers: Record<string, string>;

  constructor(code: ErrorCode, detail: string, options: ErrorOptions = {}) {
    super(detail, { cause: options.cause });
    this.code = code;
    this.errors = options.errors;
    this.reason = options.reason;
    this.headers = options.headers ?? {};
  }
}

/** An unexpected error. `cause` is logged under the request ID and never sent. */
export function internalError(cause: unknown): ApiError {
  const detail = "Something went wrong on our side. It was logged under this request ID.";
  return new ApiError("internal", detail, { cause });
}

export function invalidRequest(errors: FieldError[]): ApiError {
  return new ApiError("invalid_request", "The request is invalid. See errors for details.", {
    errors,
  });
}
