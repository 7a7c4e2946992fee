import { z } from "zod";
import {
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiRequestBodyObject,
  type ZodOpenApiResponseObject,
} from "zod-openapi";
import { IDEMPOTENCY_KEY_MAX } from "../http/idempotency.ts";
import { AUDIT_REASON_MAX, mediaTypes } from "../http/input.ts";
import { SURFACES } from "../records/surfaces/every-surface.ts";
import { type Access, ROLES, readScopeOf } from "../wire/access.ts";
import { type Contract, mayReturnNoContent, XLSX } from "../wire/contract.ts";
import { EXAMPLE_ORIGIN, PRODUCT } from "../wire/product.ts";
import { addDescriptions } from "./glossary.ts";
import { addLimits } from "./limits.ts";
import { nameSchemas } from "./name-schemas.ts";
import { CONTRACTS } from "./operations.ts";
import {
  errorCodesOf,
  HEADERS,
  isCacheable,
  isConditional,
  type ProblemResponse,
  problem,
  problemResponses,
  REPLAY_HEADERS,
  RESPONSE_HEADERS,
  TAG_HEADERS,
} from "./responses.ts";
import { shareParameters } from "./share-parameters.ts";
import { addExamples } from "./show-examples.ts";
import { tolerateAdditions } from "./tolerate-additions.ts";
import { sendEvents, webhooksOf } from "./webhooks.ts";

const DESCRIPTION = `${PRODUCT} reconciles two sets of records and tracks the exceptions and their deadlines.

Every call carries \`Authorization: Bearer <credential>\` and names one tenant in \`X-Tenant-Id\`. Bodies are JSON objects of at most
1 MiB. Times are ISO 8601 in UTC, in responses with milliseconds and Z. Errors are \`application/problem+json\` (RFC 9457); use \`code\` in your program. Checks run in this order:
credential, tenant, role or scope, rate limit, body and query, existence, state.

Every response has \`X-Request-Id\`, which identifies it in our logs, and \`RateLimit\` and \`RateLimit-Policy\`: calls left, and the limit.`;

const TAGS: Record<string, string> = {
  Tenant: "The caller and its tenant.",
  "SLA monitor": "Open exceptions by time to breach.",
  Alerts: "Notifications about exceptions and failures, by email or chat.",
  Calendars: "When your team works, for deadlines that count business time.",
  "API keys": "Credentials for a tenant's servers.",
  Views: "Named sets of exception filters, your own or shared.",
  Reconciliations: "Two sources, compared over a period.",
  Evidence: "Files that show why something is right.",
  Connections: "Servers and mailboxes that a source's files come from.",
  "Sources and lines": "Sources and their lines, each an amount on a day.",
  Matching:
    "Rules, runs and matches of two sources' lines, the proof that no cent is missing, and " +
    "closing a period.",
  "Ledger entries": "Journal entries for the ledger, created by closes.",
  Exceptions: "Items to resolve before a deadline.",
  ...Object.fromEntries(SURFACES.map(({ title, description }) => [title, description])),
  "Security events": "Who did what, when and from where, in a tamper-evident audit log.",
  Requests: "API calls, with requests and responses.",
  Events: "Events to read from a server behind a firewall.",
  Webhooks: "Signed events to your server (Standard Webhooks), with a log of every delivery.",
};

/** Room for several of our entity tags. */
const TAGS_MAX = 1000;

const idempotencyKey = z
  .string()
  .min(1)
  .max(IDEMPOTENCY_KEY_MAX)
  .optional()
  .meta({ example: "0d1f6c1e-retry-1" });

const csvText = z.string().meta({
  description: "RFC 4180, with a header row.",
  override: { contentMediaType: "text/csv" },
});
const ndjsonText = z.string().meta({
  description: "One JSON object per line.",
  override: { contentMediaType: "application/x-ndjson" },
});
const workbook = z.string().meta({
  description: "A workbook (OOXML), which Excel opens.",
  override: { contentMediaType: XLSX },
});
const VERSION = "1.0.0";

export type OpenApiDocument = ReturnType<typeof createDocument>;

/**
 * The OpenAPI 3.1 document of /v1 at an origin, from the contracts. @throws Error if a schema lacks
 * an example.
 */
export function openApiDocument(
  contracts: readonly Contract[] = CONTRACTS,
  origin: string = EXAMPLE_ORIGIN,
): OpenApiDocument {
  const problems = new Map<string, ProblemResponse>();
  const document = createDocument({
    openapi: "3.1.1",
    info: {
      title: PRODUCT,
      version: VERSION,
      description: DESCRIPTION,
      contact: { name: PRODUCT, url: `${EXAMPLE_ORIGIN}/docs` },
      license: { name: "Proprietary", identifier: "LicenseRef-Proprietary" },
    },
    servers: [{ url: origin, description: "Production.", "x-internal": false }],
    security: [{ bearer: [], tenant: [] }],
    tags: [...new Set(contracts.map(({ tag }) => tag))].map((name) => ({
      name,
      description: TAGS[name],
    })),
    paths: pathsOf(contracts, problems),
    webhooks: webhooksOf(),
    components: {
      securitySchemes: {
        bearer: {
          type: "http",
          scheme: "bearer",
          description:
            "One of: a JWT of the identity provider (HS256 or RS256) or of Supabase Auth; an API " +
            "key `<key_id>.<key_secret>`; the publishable key; the service-role key.",
        },
        tenant: {
          type: "apiKey",
          in: "header",
          name: "X-Tenant-Id",
          description: "The tenant that calls are for, for example `acme`. Set it once.",
        },
      },
      schemas: { Problem: problem },
      parameters: PARAMETERS,
      headers: HEADERS,
      responses: {
        NotModified: {
          description: "Nothing is new since the response with this ETag.",
          headers: { ...RESPONSE_HEADERS, ...TAG_HEADERS },
        },
        ...Object.fromEntries([...problems].map(([name, { response }]) => [name, response])),
      },
    },
  });
  sendEvents(document);
  addDescriptions(document);
  addExamples(document, contracts);
  addLimits({
    paths: document.paths,
    webhooks: document.webhooks,
    components: document.components,
  });
  nameSchemas(document as unknown as Parameters<typeof nameSchemas>[0]);
  commaSeparateLists(document);
  shareParameters(document as unknown as Parameters<typeof shareParameters>[0]);
  tolerateAdditions(document as unknown as Parameters<typeof tolerateAdditions>[0]);
  return document;
}

/** A list in a query is one value with commas, and not a parameter for each value. */
function commaSeparateLists({ paths = {} }: OpenApiDocument): void {
  for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods)))
    for (const parameter of (operation as { parameters?: Listed[] }).parameters ?? [])
      if (parameter.in === "query" && parameter.schema?.type === "array")
        Object.assign(parameter, { style: "form", explode: false });
}

type Listed = { in?: string; schema?: { type?: string } };

/** The request headers of operations, as components. */
const PARAMETERS = {
  IdempotencyKey: idempotencyKey.meta({
    param: { name: "Idempotency-Key", in: "header" },
    description:
      "Makes retries safe: for 24 hours, the same key with the same request returns the " +
      "original response, with the header `Idempotency-Replayed: true`. Can be sent in the body " +
      "instead.",
  }),
  IfNoneMatch: z
    .string()
    .optional()
    .meta({
      override: { maxLength: TAGS_MAX },
      param: { name: "If-None-Match", in: "header" },
      description: "The ETag you have. If nothing is new, the response is 304 without a body.",
      example: '"3-Kx8d0aTqpwNfB2vE"',
    }),
  IfMatch: z
    .string()
    .optional()
    .meta({
      override: { maxLength: TAGS_MAX },
      param: { name: "If-Match", in: "header" },
      description:
        "The ETag you read. The change is made only if the resource hasn't changed since; " +
        "otherwise the response is 412.",
      example: '"3-Kx8d0aTqpwNfB2vE"',
    }),
  AuditReason: z
    .string()
    .optional()
    .meta({
      override: { maxLength: AUDIT_REASON_MAX },
      param: { name: "X-Audit-Reason", in: "header" },
      description:
        "With the service-role key: the reason for the call, recorded in the security events.",
      example: "Support case 118",
    }),
};

function pathsOf(
  contracts: readonly Contract[],
  problems: Map<string, ProblemResponse>,
): ZodOpenApiPathsObject {
  const paths: ZodOpenApiPathsObject = {};
  for (const contract of contracts) {
    paths[contract.path] = {
      ...paths[contract.path],
      [contract.method.toLowerCase()]: operationOf(contract, problems),
    };
  }
  return paths;
}

const STATUS_LABELS = {
  200: "Done.",
  201: "Created.",
  202: "Accepted. Location shows its progress.",
} as const;

function operationOf(
  contract: Contract,
  problems: Map<string, ProblemResponse>,
): ZodOpenApiOperationObject {
  const {
    operationId,
    tag,
    summary,
    description,
    audience,
    access,
    idempotency,
    params,
    query,
    preview,
    resource,
    status,
  } = contract;
  const answers = problemResponses(errorCodesOf(contract));
  for (const answer of answers) problems.set(answer.name, answer);
  return {
    operationId,
    tags: [tag],
    summary,
    description: [description, needs(access)].filter(Boolean).join("\n\n"),
    parameters: [
      ...(idempotency ? [PARAMETERS.IdempotencyKey] : []),
      ...(isConditional(contract) ? [PARAMETERS.IfMatch] : []),
      ...(isCacheable(contract) ? [PARAMETERS.IfNoneMatch] : []),
      ...(access.service ? [PARAMETERS.AuditReason] : []),
    ],
    requestParams: { path: params, query },
    ...requestBodyOf(contract),
    responses: {
      [`${status}`]: {
        description: STATUS_LABELS[status],
        headers: {
          ...RESPONSE_HEADERS,
          ...(resource && TAG_HEADERS),
          ...(idempotency && REPLAY_HEADERS),
        },
        content: contentOf(contract),
      },
      ...(preview && {
        200: {
          description: "With preview=true: nothing was saved.",
          headers: RESPONSE_HEADERS,
          content: { "application/json": { schema: preview } },
        },
      }),
      ...(mayReturnNoContent(contract) && {
        204: {
          description: `Done; the key lacks ${readScopeOf(access)}.`,
          headers: RESPONSE_HEADERS,
        },
      }),
      ...(isCacheable(contract) && {
        304: { $ref: "#/components/responses/NotModified" },
      }),
      ...Object.fromEntries(
        answers.map((answer) => [
          `${answer.status}`,
          { $ref: `#/components/responses/${answer.name}` },
        ]),
      ),
    },
    ...(audience === "dashboard" && { "x-audience": audience }),
    "x-scope": access.scope,
  };
}

function contentOf({
  download,
  file,
  response,
}: Contract): NonNullable<ZodOpenApiResponseObject["content"]> {
  if (download) {
    const { type, description, example } = download;
    const override = { contentMediaType: type };
    return { [type]: { schema: z.string().meta({ description, example, override }) } };
  }
  if (!file) return { "application/json": { schema: response } };
  return {
    "text/csv": { schema: csvText },
    "application/x-ndjson": { schema: ndjsonText },
    ...(file.workbook && { [XLSX]: { schema: workbook } }),
  };
}

const ANY_OF = new Intl.ListFormat("en", { type: "disjunction" });

function needs({ roles, scope, anyKey, service, publishable }: Access): string {
  const who = [
    usersWith(roles),
    ...(scope ? [`API keys with \`${scope}\``] : []),
    ...(anyKey ? ["all API keys"] : []),
    ...(publishable ? ["the publishable key"] : []),
    ...(service ? ["the service-role key"] : []),
  ];
  return `Callers: ${who.join("; ")}.`;
}

function usersWith(roles: Access["roles"]): string {
  if (roles === "any") return "any user of the tenant";
  if (roles.length === ROLES.length) return "all roles";
  return ANY_OF.format(roles.map((role) => `\`${role}\``));
}

function requestBodyOf(contract: Contract): { requestBody?: ZodOpenApiRequestBodyObject } {
  const { body, idempotency, upload, uploadExample, bodyMaxBytes } = contract;
  if (upload) {
    const schema = z.string().max(bodyMaxBytes).meta({ example: uploadExample });
    return {
      requestBody: {
        required: true,
        content: Object.fromEntries(upload.map((mediaType) => [mediaType, { schema }])),
      },
    };
  }
  if (!body && !idempotency) return {};
  const schema = withIdempotencyKey(body ?? z.strictObject({}), contract);
  const content = Object.fromEntries(
    mediaTypes(contract).map((mediaType) => [mediaType, { schema }]),
  );
  return { requestBody: { required: !schema.safeParse({}).success, content } };
}

function withIdempotencyKey(body: z.ZodType, { idempotency }: Contract): z.ZodType {
  if (!idempotency) return body;
  const field = {
    [idempotency.field]: idempotencyKey.meta({
      description: "The idempotency key, unless sent in the Idempotency-Key header.",
    }),
  };
  const { example } = body.meta() ?? {};
  const extended =
    body instanceof z.ZodObject
      ? body.safeExtend(field)
      : z.intersection(body, z.looseObject(field));
  return example === undefined ? extended : extended.meta({ example });
}
