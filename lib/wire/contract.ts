/** A contract is data: the endpoint, OpenAPI, the browser's client, the docs and the authorisation tests all read it. */
import { z } from "zod";
import type { Access } from "./access.ts";
import type { ErrorCode } from "./errors.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export type IdempotencyField = "idempotency_key" | "idempotencyKey";

/** `field`: where the spec has the key in that body. The other spelling and the header `Idempotency-Key` are taken as well. */
export type Idempotency = { field: IdempotencyField; required: boolean };

const BODY_MAX_BYTES = 1024 * 1024;

export const EXPORT_FORMATS = ["csv", "ndjson"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** A list as a file: each `item` of it is a line, with these columns where it is CSV. */
export type Export = { summary: string; columns: readonly string[]; item: z.ZodType };

export type Contract<
  Params extends z.ZodObject = z.ZodObject,
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodType = z.ZodType,
  Response extends z.ZodType = z.ZodType,
> = {
  operationId: string;
  method: Method;
  /** With parameters in braces: `/v1/exceptions/{id}`. */
  path: `/v1/${string}`;
  tag: string;
  summary: string;
  description?: string;
  access: Access;
  idempotency: Idempotency | null;
  params: Params;
  /** The path parameter that names the tenant, which must be the one of `X-Tenant-Id`; null where the header alone names it. */
  tenantParam: string | null;
  query: Query;
  /** Null where the operation takes no body. */
  body: Body | null;
  bodyMaxBytes: number;
  /** Media types of a body that is no JSON object and is read as it comes, null for the others. */
  upload: readonly string[] | null;
  /** Whether it only says what a change would do: `always`, where the body's `dry_run` says so (`asked`), or never. */
  dryRun: "always" | "asked" | "never";
  response: Response;
  /** Of a list that can be exported: `exportOf` makes the operation `GET <path>/export` of it. Null for any other. */
  exported: Export | null;
  /** The answer is such a file, not the JSON of `response`; null for any other operation. */
  file: Export | null;
  status: 200 | 201;
  /** What a 404 says there is none of. */
  noun: string;
  /**
   * Whether the operation is about one resource, whose answer has an `ETag`. `versioned`: of a resource that can be changed, where PUT,
   * PATCH and DELETE honour `If-Match`.
   */
  resource: "versioned" | "unversioned" | null;
  /** Beyond those that every operation, or every operation with such a body, can answer. */
  errors: readonly ErrorCode[];
};

const none = z.strictObject({});

/** Declares a contract; what is left out is empty. */
export function contract<
  Response extends z.ZodType,
  Params extends z.ZodObject = typeof none,
  Query extends z.ZodObject = typeof none,
  Body extends z.ZodType = z.ZodNever,
>(
  declared: Pick<Contract<Params, Query, Body, Response>, "operationId" | "method" | "path" | "tag" | "summary" | "access" | "response"> &
    Partial<Contract<Params, Query, Body, Response>>,
): Contract<Params, Query, Body, Response> {
  return {
    idempotency: null,
    params: none as unknown as Params,
    tenantParam: null,
    query: none as unknown as Query,
    body: null,
    bodyMaxBytes: BODY_MAX_BYTES,
    upload: null,
    dryRun: "never",
    exported: null,
    file: null,
    status: 200,
    noun: nounOf(declared.path),
    resource: null,
    errors: [],
    ...declared,
  };
}

/** "exception" of /v1/exceptions/{id}: the same word that the database's refusal uses. */
function nounOf(path: string): string {
  return path.split("/")[2]?.replace(/s$/, "").replaceAll("-", " ") ?? "resource";
}

/** The operation that exports a list: everything that its filters leave, as one file. */
export function exportOf(list: Contract): Contract {
  const { exported, operationId, path, query } = list;
  if (!exported) throw new Error(`${operationId} has no export.`);
  const format = z
    .enum(EXPORT_FORMATS)
    .meta({ description: "CSV by RFC 4180 with a header line, or one JSON object a line.", example: "csv" });
  const { limit: _limit, cursor: _cursor, ...unpaged } = query.shape;
  const isPaged = _limit !== undefined;
  return contract({
    operationId: operationId.replace(/^(?:list|get)/, "export"),
    method: "GET",
    path: `${path}/export`,
    tag: list.tag,
    summary: exported.summary,
    description: "Everything that the filters leave, streamed. The export is a security event.",
    access: list.access,
    params: list.params,
    tenantParam: list.tenantParam,
    query: (isPaged ? z.strictObject({ ...unpaged, format }) : query.safeExtend({ format })) as z.ZodObject,
    response: z.string(),
    file: exported,
  }) as unknown as Contract;
}
