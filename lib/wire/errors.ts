/** The only error table: code → status and title. The docs pages and OpenAPI are derived from it. */
export const ERRORS = {
  invalid_request: { status: 400, title: "The request is not valid" },
  tenant_required: { status: 400, title: "Name one tenant in X-Tenant-Id" },
  idempotency_key_required: { status: 400, title: "This operation needs an idempotency key" },
  unauthenticated: { status: 401, title: "The credential is missing or not valid" },
  tenant_forbidden: { status: 403, title: "The credential does not belong to this tenant" },
  role_required: { status: 403, title: "The role does not allow this" },
  scope_required: { status: 403, title: "The API key's scopes do not allow this" },
  ip_not_allowed: { status: 403, title: "The API key may not be used from this address" },
  browser_forbidden: { status: 403, title: "The service-role key may not be used from a browser" },
  not_found: { status: 404, title: "Not found" },
  method_not_allowed: { status: 405, title: "This path does not take that method" },
  conflict: { status: 409, title: "The state does not allow this" },
  invalid_transition: { status: 409, title: "The status cannot move that way" },
  precondition_failed: { status: 412, title: "It has changed since" },
  payload_too_large: { status: 413, title: "The body is too large" },
  uri_too_long: { status: 414, title: "The address is too long" },
  unsupported_media_type: { status: 415, title: "The body's media type is not supported" },
  idempotency_mismatch: { status: 422, title: "The idempotency key belongs to another request" },
  rate_limited: { status: 429, title: "Too many requests" },
  headers_too_large: { status: 431, title: "The headers are too large" },
  internal: { status: 500, title: "Something went wrong on our side" },
  unavailable: { status: 503, title: "The service cannot answer right now" },
} as const;

export type ErrorCode = keyof typeof ERRORS;

export const ERROR_CODES = Object.keys(ERRORS) as ErrorCode[];

/** One thing wrong with a request: `path` is dotted, from the body, query or header it was found in. */
export type FieldError = { path: string; message: string };

/** The one error class. `detail` is a sentence for the caller; the `cause` is logged and never sent. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly errors: FieldError[] | undefined;
  readonly headers: Record<string, string>;

  constructor(code: ErrorCode, detail: string, options: { errors?: FieldError[]; headers?: Record<string, string>; cause?: unknown } = {}) {
    super(detail, { cause: options.cause });
    this.code = code;
    this.errors = options.errors;
    this.headers = options.headers ?? {};
  }
}

export function invalidRequest(errors: FieldError[]): ApiError {
  return new ApiError("invalid_request", "The request is invalid. See errors for details.", { errors });
}
