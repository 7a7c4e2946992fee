import { z } from "zod";
import type { ZodOpenApiResponseObject } from "zod-openapi";
import { CONFLICT_REASONS, CONFLICTS } from "../wire/conflicts.ts";
import type { Contract } from "../wire/contract.ts";
import { ERROR_CODES, ERRORS, type ErrorCode } from "../wire/errors.ts";
import { EXAMPLE_ORIGIN, PRODUCT_ID } from "../wire/product.ts";

/** The only error body: RFC 9457 with `code` and `request_id`. */
export const problem = z
  .strictObject({
    type: z.url().meta({ description: "The error's page in the catalogue." }),
    title: z.string(),
    status: z.int().min(400).max(599),
    detail: z.string().meta({ description: "Explains this response to a person." }),
    code: z.enum(ERROR_CODES).meta({ description: "The error code for your program." }),
    request_id: z.string(),
    reason: z
      .enum(CONFLICT_REASONS)
      .optional()
      .meta({ description: "With the code conflict: the reason, for your program." }),
    retryable: z
      .boolean()
      .optional()
      .meta({
        description:
          "With the code conflict: whether it resolves by itself. If so, repeat the call " +
          "after Retry-After.",
      }),
    errors: z
      .array(z.object({ path: z.string(), message: z.string() }))
      .optional()
      .meta({ description: "With status 400: each invalid field, as a dotted path." }),
  })
  .meta({ description: "An error (RFC 9457)." });

const EVERY_OPERATION: readonly ErrorCode[] = [
  "invalid_request",
  "tenant_required",
  "unauthenticated",
  "tenant_forbidden",
  "rate_limited",
  "internal",
  "unavailable",
];

/** The codes of 403 that some operations have. */
const FORBIDDEN = ERROR_CODES.filter(
  (code) => ERRORS[code].status === 403 && !EVERY_OPERATION.includes(code),
);

/** Every error code that an operation can return, in the order of the error table. */
export function errorCodesOf(contract: Contract): ErrorCode[] {
  const { access, errors, idempotency, method, params } = contract;
  const open = access.roles === "any" && access.service && access.publishable;
  const possible = new Set<ErrorCode>([
    ...EVERY_OPERATION,
    ...when(!open, "role_required"),
    ...when(access.service, "browser_forbidden"),
    ...when(access.scope !== null, "scope_required"),
    ...when(access.scope !== null || access.anyKey, "ip_not_allowed"),
    ...when(Object.keys(params.shape).length > 0, "not_found"),
    ...when(isConditional(contract), "precondition_failed"),
    ...when(method !== "GET", "payload_too_large", "unsupported_media_type"),
    ...when(idempotency !== null, "idempotency_mismatch"),
    ...when(idempotency?.required === true, "idempotency_key_required"),
    ...errors,
  ]);
  return ERROR_CODES.filter((code) => possible.has(code));
}

/** Whether the operation honours `If-Match`. */
export function isConditional({ resource, method }: Contract): boolean {
  return resource === "versioned" && method !== "GET" && method !== "POST";
}

/** Whether the operation honours `If-None-Match`. */
export function isCacheable({ resource, method }: Contract): boolean {
  return resource !== null && method === "GET";
}

function when(holds: boolean, ...codes: ErrorCode[]): ErrorCode[] {
  return holds ? codes : [];
}

export type ProblemResponse = { status: number; name: string; response: ZodOpenApiResponseObject };

/**
 * The problem responses for a set of codes: one for each status, named after the codes that only
 * some operations have, or else after all of its codes. Most operations use the one with all codes
 * of 403.
 */
export function problemResponses(codes: readonly ErrorCode[]): ProblemResponse[] {
  return [...Map.groupBy(codes, (code) => ERRORS[code].status)].map(([status, sharing]) => ({
    status,
    name: nameOf(status, sharing),
    response: {
      description: sharing.map((code) => `\`${code}\`: ${ERRORS[code].title}.`).join("\n\n"),
      headers: headersOf(status),
      content: {
        "application/problem+json": {
          schema: {
            allOf: [
              { $ref: "#/components/schemas/Problem" },
              { properties: { status: { const: status }, code: { enum: sharing } } },
            ],
          },
          examples: Object.fromEntries(
            sharing.map((code) => [code, { summary: ERRORS[code].title, value: exampleOf(code) }]),
          ),
        },
      },
    },
  }));
}

function nameOf(status: number, sharing: readonly ErrorCode[]): string {
  const special = sharing.filter((code) => !EVERY_OPERATION.includes(code));
  if (status === 403 && special.length === FORBIDDEN.length) return "Forbidden";
  if (status === 400 && special.length === 0) return "InvalidRequest";
  return (special.length > 0 ? special : sharing).map(pascalCase).join("Or");
}

function headersOf(status: number): NonNullable<ZodOpenApiResponseObject["headers"]> {
  return {
    ...RESPONSE_HEADERS,
    ...(status === 401 && { "WWW-Authenticate": header("WwwAuthenticate") }),
    ...(status === 409 && { "Retry-After": header("ConflictRetryAfter") }),
    ...((status === 429 || status === 503) && { "Retry-After": header("RetryAfter") }),
  };
}

function exampleOf(code: ErrorCode): z.output<typeof problem> {
  const { status, title } = ERRORS[code];
  return {
    type: `${EXAMPLE_ORIGIN}/docs/errors/${code}`,
    title,
    status,
    detail: code === "conflict" ? CONFLICTS.run_under_way.means : `${title}.`,
    code,
    request_id: REQUEST_ID,
    ...(code === "conflict" && { reason: "run_under_way" as const, retryable: true }),
    ...(code === "invalid_request" && {
      errors: [{ path: "no_such_parameter", message: "Unknown field." }],
    }),
  };
}

const REQUEST_ID = "req_2f1c0d9be7a84c5f9a3e6b7d8c9f0a1b";

const header = (name: keyof typeof HEADERS) => ({ $ref: `#/components/headers/${name}` as const });

/** The response headers, as components. */
export const HEADERS = {
  RequestId: {
    description: "Identifies this request in our logs. Quote it when you contact us.",
    required: true,
    schema: { type: "string", pattern: "^req_[0-9a-f]{32}$", maxLength: 36, example: REQUEST_ID },
  },
  ETag: {
    description:
      "Identifies this response. Send it in If-Match to avoid overwriting someone else's change, " +
      "or in If-None-Match to get 304 when nothing is new.",
    required: true,
    schema: { type: "string", maxLength: 64, example: '"3-Kx8d0aTqpwNfB2vE"' },
  },
  RateLimit: {
    description: "Calls left in the window, and seconds until it resets.",
    schema: { type: "string", maxLength: 64, example: '"calls";r=1199;t=60' },
  },
  RateLimitPolicy: {
    description: "The limit: calls per window in seconds.",
    schema: { type: "string", maxLength: 64, example: '"calls";q=1200;w=60' },
  },
  RetryAfter: {
    description: "Seconds to wait before trying again.",
    required: true,
    schema: { type: "integer", minimum: 1, maximum: 3600, example: 2 },
  },
  ConflictRetryAfter: {
    description: "Seconds to wait before trying again, if the conflict resolves by itself.",
    schema: { type: "integer", minimum: 1, maximum: 3600, example: 2 },
  },
  WwwAuthenticate: {
    description: "The expected authentication scheme.",
    schema: { type: "string", maxLength: 64, example: `Bearer realm="${PRODUCT_ID}"` },
  },
  IdempotencyReplayed: {
    description:
      "Present if this is the stored response to an earlier request with the same idempotency key.",
    schema: { type: "string", const: "true" },
  },
} as const;

/** The headers of every response of an operation. */
export const RESPONSE_HEADERS = {
  "X-Request-Id": header("RequestId"),
  RateLimit: header("RateLimit"),
  "RateLimit-Policy": header("RateLimitPolicy"),
};

/** The headers of a successful response about one resource. */
export const TAG_HEADERS = { ETag: header("ETag") };

/** The headers of a successful response of an operation with an idempotency key. */
export const REPLAY_HEADERS = { "Idempotency-Replayed": header("IdempotencyReplayed") };

function pascalCase(code: string): string {
  return code.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
}
