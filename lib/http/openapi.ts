import { z } from "zod";
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject, type ZodOpenApiRequestBodyObject } from "zod-openapi";
import type { Access } from "../access.ts";
import type { Contract } from "../contract.ts";
import { CONTRACTS } from "../contracts.ts";
import { SURFACES } from "../records/surfaces/all.ts";
import { tenantId } from "../schema.ts";
import { mediaTypes } from "./input.ts";
import {
  ANSWER_HEADERS,
  errorCodesOf,
  HEADERS,
  isConditional,
  type ProblemAnswer,
  problem,
  problemAnswers,
  REPLAY_HEADERS,
  VERSION_HEADERS,
} from "./openapi-answers.ts";
import { exampleOf } from "./openapi-example.ts";
import { addDescriptions } from "./openapi-glossary.ts";
import { atItsMoment, webhooksOf } from "./openapi-webhooks.ts";

const DESCRIPTION = `Tieout reconciles two sets of records and tracks the exceptions and their deadlines.

Every call carries \`Authorization: Bearer <credential>\` and names one tenant in \`X-Tenant-Id\`. Bodies are JSON objects of at most
1 MiB. Times are ISO 8601 in UTC. Errors are \`application/problem+json\` (RFC 9457); use \`code\` in your program. Checks run in this order:
credential, tenant, role or scope, rate limit, body and query, existence, state.`;

const TAGS: Record<string, string> = {
  Tenant: "The caller and its tenant.",
  "SLA monitor": "Open exceptions by time to breach.",
  "API keys": "Credentials of a tenant's servers.",
  Reconciliations: "Two sources compared over a period.",
  Exceptions: "Items to resolve before a deadline.",
  ...Object.fromEntries(SURFACES.map(({ title, description }) => [title, description])),
  "Security events": "Who did what, when and from where, in a tamper-evident audit log.",
  Webhooks: "Signed events to your server (Standard Webhooks), with a log of every delivery.",
};

const idempotencyKey = z.string().min(1).max(255).optional().meta({ example: "0d1f6c1e-retry-1" });

const csvText = z.string().meta({ description: "RFC 4180, with a header row.", example: "key,opened\r\nhigh,3\r\n" });
const ndjsonText = z.string().meta({ description: "One JSON object per line.", example: '{"seq":118,"type":"api_key.revoked"}\n' });
const uploadText = z.string().meta({ example: '{"title":"Payout 4711 has no bank line","severity":"high"}' });

const VERSION = "1.0.0";

export type OpenApiDocument = ReturnType<typeof createDocument>;

/** OpenAPI 3.1 of /v1, from the contracts. @throws Error where a schema lacks an example. */
export function openApiDocument(contracts: readonly Contract[] = CONTRACTS): OpenApiDocument {
  const problems = new Map<string, ProblemAnswer>();
  const document = createDocument({
    openapi: "3.1.1",
    info: {
      title: "Tieout",
      version: VERSION,
      description: DESCRIPTION,
      contact: { name: "Tieout", url: "https://tieout.example/docs" },
      license: { name: "Proprietary", identifier: "LicenseRef-Proprietary" },
    },
    servers: [{ url: "/", description: "The origin that served this document." }],
    security: [{ bearer: [] }],
    tags: [...new Set(contracts.map(({ tag }) => tag))].map((name) => ({ name, description: TAGS[name] })),
    paths: pathsOf(contracts, problems),
    webhooks: webhooksOf(),
    components: {
      securitySchemes: {
        bearer: {
          type: "http",
          scheme: "bearer",
          description:
            "One of: a JWT of the identity provider (HS256 or RS256) or of Supabase Auth; an API key `<key_id>.<key_secret>`; " +
            "the publishable key; the service-role key.",
        },
      },
      schemas: { Problem: problem },
      parameters: PARAMETERS,
      headers: HEADERS,
      responses: Object.fromEntries([...problems].map(([name, { response }]) => [name, response])),
    },
  });
  addDescriptions(document);
  addExamples(document);
  return document;
}

/** Headers that operations take, as components. */
const PARAMETERS = {
  TenantId: tenantId.meta({
    param: { name: "X-Tenant-Id", in: "header" },
    description: "The tenant this call is for.",
  }),
  IdempotencyKey: idempotencyKey.meta({
    param: { name: "Idempotency-Key", in: "header" },
    description:
      "Makes retries safe: for 24 hours, the same key with the same request returns the original response. Can be sent in the body instead.",
  }),
  IfMatch: z
    .string()
    .optional()
    .meta({
      param: { name: "If-Match", in: "header" },
      description: "The ETag you read. The change is made only if the resource hasn't changed since; otherwise the response is 412.",
      example: '"3"',
    }),
  AuditReason: z
    .string()
    .optional()
    .meta({
      param: { name: "X-Audit-Reason", in: "header" },
      description: "With the service-role key: the reason for the call, recorded in the security events.",
      example: "Support case 118",
    }),
};

function pathsOf(contracts: readonly Contract[], problems: Map<string, ProblemAnswer>): ZodOpenApiPathsObject {
  const paths: ZodOpenApiPathsObject = {};
  for (const contract of contracts) {
    paths[contract.path] = { ...paths[contract.path], [contract.method.toLowerCase()]: operationOf(contract, problems) };
  }
  return paths;
}

function operationOf(contract: Contract, problems: Map<string, ProblemAnswer>): ZodOpenApiOperationObject {
  const { operationId, tag, summary, description, access, idempotency, params, query, response, csv, table, status } = contract;
  const answers = problemAnswers(errorCodesOf(contract));
  for (const answer of answers) problems.set(answer.name, answer);
  return {
    operationId,
    tags: [tag],
    summary,
    description: [description, needs(access)].filter(Boolean).join("\n\n"),
    parameters: [
      PARAMETERS.TenantId,
      ...(idempotency ? [PARAMETERS.IdempotencyKey] : []),
      ...(isConditional(contract) ? [PARAMETERS.IfMatch] : []),
      ...(access.service ? [PARAMETERS.AuditReason] : []),
    ],
    requestParams: { path: params, query },
    ...requestBodyOf(contract),
    responses: {
      [`${status}`]: {
        description: status === 201 ? "Created." : "Done.",
        headers: { ...ANSWER_HEADERS, ...(contract.versioned && VERSION_HEADERS), ...(idempotency && REPLAY_HEADERS) },
        content: {
          "application/json": { schema: response },
          ...((csv || table) && { "text/csv": { schema: csvText } }),
          ...(table && { "application/x-ndjson": { schema: ndjsonText } }),
        },
      },
      ...Object.fromEntries(answers.map((answer) => [`${answer.status}`, { $ref: `#/components/responses/${answer.name}` }])),
    },
    "x-roles": access.roles,
    "x-scope": access.scope,
  };
}

function needs({ roles, scope, service, publishable }: Access): string {
  const who = [
    roles === "any" ? "any user of the tenant" : `a user with ${roles.map((role) => `\`${role}\``).join(" or ")}`,
    ...(scope ? [`an API key with \`${scope}\``] : []),
    ...(roles === "any" ? ["any API key"] : []),
    ...(publishable ? ["the publishable key"] : []),
    ...(service ? ["the service-role key"] : []),
  ];
  return `Who can call it: ${who.join("; ")}.`;
}

function requestBodyOf(contract: Contract): { requestBody?: ZodOpenApiRequestBodyObject } {
  const { body, idempotency, upload } = contract;
  if (upload) {
    return { requestBody: { required: true, content: Object.fromEntries(upload.map((mediaType) => [mediaType, { schema: uploadText }])) } };
  }
  if (!body && !idempotency) return {};
  const schema = withIdempotencyKey(body ?? z.strictObject({}), contract);
  const content = Object.fromEntries(mediaTypes(contract).map((mediaType) => [mediaType, { schema }]));
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
  const extended = body instanceof z.ZodObject ? body.safeExtend(field) : z.intersection(body, z.looseObject(field));
  return example === undefined ? extended : extended.meta({ example });
}

type MediaType = { schema?: Record<string, unknown>; example?: unknown; examples?: unknown };

/** Every request, success and parameter shows an example, put together from those of the schemas. */
function addExamples(document: OpenApiDocument): void {
  const definitions = (document.components?.schemas ?? {}) as Record<string, Record<string, unknown>>;
  for (const [name, operations] of [...Object.entries(document.paths ?? {}), ...Object.entries(document.webhooks ?? {})]) {
    for (const operation of Object.values(operations) as ZodOpenApiOperationObject[]) {
      const where = operation.operationId as string;
      const bodies = [operation.requestBody, ...Object.values(operation.responses ?? {})] as (
        | { content?: Record<string, MediaType> }
        | undefined
      )[];
      for (const media of bodies.flatMap((body) => Object.values(body?.content ?? {}))) {
        if (media.schema && media.examples === undefined) media.example = atItsMoment(name, exampleOf(media.schema, definitions, where));
      }
      for (const { name: parameter, schema } of (operation.parameters ?? []) as { name?: string; schema?: Record<string, unknown> }[]) {
        if (schema) schema.example = exampleOf(schema, definitions, `${where} ?${parameter}`);
      }
    }
  }
}
