import { z } from "zod";
import { needs } from "../wire/access.ts";
import { contract } from "../wire/contract.ts";
import { ERROR_CODES } from "../wire/errors.ts";
import { REQUEST_LOG } from "../wire/facts.gen.ts";
import { actor, id, page, pageQuery, requestId, text, time, timestamp } from "../wire/schema.ts";

export const STATUS_CLASSES = ["failed", "refused", "2xx", "3xx", "4xx", "5xx"] as const;
export const CALL_CREDENTIALS = REQUEST_LOG.credential;

const apiKeyId = id("key");
const operation = z
  .string()
  .max(80)
  .regex(/^[a-zA-Z]+$/, "Must be an operationId, for example listExceptions.");

export const loggedRequest = z
  .object({
    id: requestId,
    at: time,
    operation: z.string().nullable().meta({
      description: "Null for a path or method that isn't in the API.",
      example: "createException",
    }),
    method: z.string().meta({ description: "HTTP method.", example: "POST" }),
    path: z.string().meta({ description: "Without the query.", example: "/v1/exceptions" }),
    query: z.string().meta({ description: "As sent, without the question mark.", example: "" }),
    resource: z.string().nullable().meta({
      description: "The ID in the path, or that of the created resource.",
      example: "exc_019a9f4be2c04d6f8a1b3c5d7e9f0a2b",
    }),
    status: z.int().meta({ description: "HTTP status.", example: 201 }),
    error_code: z
      .string()
      .nullable()
      .meta({ description: "The error code. Null if it succeeded.", example: null }),
    refused: z.boolean().meta({
      description:
        "Rejected before it ran, by credential, tenant, role, scope, address or rate limit. " +
        "An API key's usage counts these as refused.",
      example: false,
    }),
    duration_ms: z.int().min(0).meta({ example: 12 }),
    credential: z
      .enum(CALL_CREDENTIALS)
      .meta({ description: "session: the dashboard; token: a user's JWT.", example: "api_key" }),
    actor: actor.nullable().meta({
      description:
        "Null if the credential failed: it named one of your API keys without its secret.",
      example: "api_key:key_019a9f4be2c04d6f8a1b3c5d7e9f0a2b",
    }),
    api_key_id: apiKeyId.nullable(),
    address: z.string().nullable().meta({ example: "203.0.113.9" }),
  })
  .meta({ id: "LoggedRequest" });
export type LoggedRequest = z.output<typeof loggedRequest>;

const message = z
  .object({
    headers: z
      .record(z.string(), z.string())
      .meta({ example: { "content-type": "application/json" } }),
    body: z.string().nullable().meta({
      description: "The first 4 kB. Null if it was empty, a file, or not stored.",
      example: "{}",
    }),
    bytes: z
      .int()
      .min(0)
      .nullable()
      .meta({ description: "Its length. Null if unknown.", example: 2 }),
    truncated: z.boolean(),
  })
  .meta({ id: "LoggedMessage" });
export type LoggedMessage = z.output<typeof message>;

export const loggedRequestDetail = loggedRequest
  .extend({ request: message.nullable(), response: message.nullable() })
  .meta({
    id: "LoggedRequestDetail",
    description:
      "request and response are null if you may not call the operation, if it is personal " +
      "(views, sessions, notification settings), or, for a webhook's delivery, if you may " +
      "not read all types of events.",
  });
export type LoggedRequestDetail = z.output<typeof loggedRequestDetail>;

const filters = {
  status: z
    .enum(STATUS_CLASSES)
    .optional()
    .meta({ description: "failed: 4xx and 5xx. refused: rejected before it ran." }),
  operation: operation
    .optional()
    .meta({ description: "Only calls of this operation.", example: "createException" }),
  credential: z
    .enum(CALL_CREDENTIALS)
    .optional()
    .meta({ description: "Only calls with this kind of credential." }),
  api_key_id: apiKeyId.optional(),
  actor: text(200).optional().meta({ example: "user:ada" }),
  error_code: z.enum(ERROR_CODES).optional(),
  resource: text(200).optional().meta({
    description: "The ID in the path, or that of the created resource.",
    example: "exc_019a9f4be2c04d6f8a1b3c5d7e9f0a2b",
  }),
  since: timestamp.optional(),
  until: timestamp.optional().meta({ description: "Requests before this time." }),
};

const tag = "Requests";

export const listRequestsContract = contract({
  operationId: "listRequests",
  method: "GET",
  path: "/v1/requests",
  tag,
  summary: "List requests, newest first",
  description:
    "Each API call, from about a second after its response, for 14 days. The dashboard's " +
    "reads are logged only if they fail. Calls with a wrong secret are logged for the " +
    "tenant whose API key they name.",
  access: needs("read:requests"),
  query: z.strictObject({ ...pageQuery, ...filters, request_id: requestId.optional() }),
  response: page(loggedRequest).extend({ as_of: time }),
});

export const getRequestContract = contract({
  operationId: "getRequest",
  method: "GET",
  path: "/v1/requests/{id}",
  tag,
  summary: "Get a request with its headers and bodies",
  description: "Credentials, secrets and idempotency keys are replaced by [redacted].",
  access: needs("read:requests"),
  params: z.strictObject({ id: requestId }),
  response: loggedRequestDetail,
  resource: "unversioned",
});

const count = z.int().min(0);

export const requestStats = z
  .object({
    as_of: time,
    since: time,
    until: time,
    step_seconds: z.int().min(60).meta({ description: "The length of each step.", example: 900 }),
    steps: z
      .array(
        z.object({
          start: time,
          calls: count.meta({ example: 812 }),
          client_errors: count.meta({ description: "4xx", example: 3 }),
          server_errors: count.meta({ description: "5xx", example: 0 }),
          p50_ms: count.meta({ description: "Median response time.", example: 9 }),
          p99_ms: count.meta({ description: "99th percentile of response times.", example: 48 }),
        }),
      )
      .meta({ description: "Steps without calls are omitted." }),
  })
  .meta({ id: "RequestStats" });
export type RequestStats = z.output<typeof requestStats>;

export const getRequestStatsContract = contract({
  operationId: "getRequestStats",
  audience: "dashboard",
  method: "GET",
  path: "/v1/requests/stats",
  tag,
  summary: "Count requests over time",
  description: "With response times. By default the last 24 hours.",
  access: needs("read:requests"),
  query: z.strictObject(filters).refine(({ since, until }) => !since || !until || since < until, {
    path: ["until"],
    message: "Must be after since.",
  }),
  response: requestStats,
});
