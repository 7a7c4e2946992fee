/**
 * A contract is data: the endpoint, OpenAPI, the browser's client, the docs and the authorisation
 * tests all read it.
 */
import { z } from "zod";
import { type Access, readScopeOf } from "./access.ts";
import type { ErrorCode } from "./errors.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export type IdempotencyField = "idempotency_key" | "idempotencyKey";

/**
 * `field` is the spec's spelling in that body. The other spelling and the `Idempotency-Key` header
 * are accepted, too.
 */
export type Idempotency = { field: IdempotencyField; required: boolean };

const BODY_MAX_BYTES = 1024 * 1024;

export const EXPORT_FORMATS = ["csv", "ndjson"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number] | "xlsx";

/** The media type of a workbook. */
export const XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

/**
 * A sheet of a workbook, with the items of one `kind`, or all items if it names none. An `optional`
 * sheet is omitted if it has no items.
 */
export type Sheet = {
  name: string;
  kind?: string;
  columns: readonly SheetColumn[];
  optional?: true;
};

/**
 * A column of a sheet. `field` is the item's field and `width` is in characters. `as` is the
 * format: `money` is minor units of the item's `currency`, `day` and `time` are ISO 8601, `word` is
 * one of our own values, `actor` is shown by name, `method` is a rule's name or "By hand", `side` is
 * the name that the cover gives it.
 */
export type SheetColumn = {
  name: string;
  field: string;
  width: number;
  as?: "money" | "day" | "time" | "word" | "actor" | "method" | "side";
};

/**
 * The first sheet of a workbook: its title, and facts about the whole. `sides` are the names of left
 * and right.
 */
export type Cover = {
  name: string;
  title: string;
  facts: readonly (readonly [name: string, value: string])[];
  sides: { left: string; right: string };
};

/**
 * The content of an export, page by page, and the first sheet of its workbook. `name`: the name of
 * its file without the ending; by default that of the operation.
 */
export type Exported = {
  pages: AsyncIterable<readonly unknown[]>;
  name?: string;
  cover?: Cover;
};

/**
 * A list as a file with one line per `item`; in CSV, with these columns. `workbook` lists the
 * sheets if it is also available as a workbook. `query` holds parameters that only the file has;
 * among them, `columns` chooses and orders the columns.
 * `functions` are the database functions that read it, if they differ from the list's.
 */
export type Export = {
  summary: string;
  description?: string;
  columns: readonly string[];
  /** The columns that are numbers, even if their values are texts. */
  amounts?: readonly string[];
  item: z.ZodType;
  workbook?: readonly Sheet[];
  query?: Record<string, z.ZodType>;
  functions?: readonly string[];
};

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
  /** `dashboard`: only our own pages call it, so clients leave it out. */
  audience: "public" | "dashboard";
  access: Access;
  /**
   * The exposed database functions that serve it. By default, it is the operation's name in snake
   * case.
   */
  functions: readonly string[];
  idempotency: Idempotency | null;
  params: Params;
  /**
   * The path parameter with the tenant, which must match `X-Tenant-Id`; null if only the header
   * names it.
   */
  tenantParam: string | null;
  query: Query;
  /** Null if the operation takes no body. */
  body: Body | null;
  bodyMaxBytes: number;
  /** Media types of a body that isn't a JSON object and is read as a stream; null for JSON. */
  upload: readonly string[] | null;
  /** An example of an uploaded body. */
  uploadExample: string | null;
  /**
   * Whether it only previews a change: `always`, if the body has `dry_run` (`asked`), or `never`.
   */
  dryRun: "always" | "asked" | "never";
  response: Response;
  /**
   * Set for a list that can be exported: `exportOf` derives the operation `GET <path>/export` from
   * it. Otherwise null.
   */
  exported: Export | null;
  /** Set if the response is a file and not the JSON of `response`. Otherwise null. */
  file: Export | null;
  /**
   * Set if the response is a file of this media type, as `downloadEndpoint` sends it; `example`:
   * its first bytes.
   */
  download: { type: string; description: string; example: string } | null;
  status: 200 | 201 | 202;
  /** The 200 response to `preview=true` in the query, which says what the call would do. */
  preview: z.ZodType | null;
  /**
   * Whether the response shows the earlier state, which is left out for a key that may not read.
   */
  showsResource: boolean;
  /** The subject of a 404, which says that it doesn't exist. */
  noun: string;
  /**
   * Set if the operation is about one resource, whose response has an `ETag`. `versioned` resources
   * can be changed: their PUT, PATCH and DELETE honour `If-Match`. `polled`: a list that clients read
   * every few seconds. Its `ETag` is weak and holds for a minute at most (`http/polled.ts`).
   */
  resource: "versioned" | "unversioned" | "polled" | null;
  /** In addition to the errors of every operation, or of every operation with such a body. */
  errors: readonly ErrorCode[];
};

const none = z.strictObject({});

/** Declares a contract. Omitted fields are empty. */
export function contract<
  Response extends z.ZodType,
  Params extends z.ZodObject = typeof none,
  Query extends z.ZodObject = typeof none,
  Body extends z.ZodType = z.ZodNever,
>(
  declared: Pick<
    Contract<Params, Query, Body, Response>,
    "operationId" | "method" | "path" | "tag" | "summary" | "access" | "response"
  > &
    Partial<Contract<Params, Query, Body, Response>>,
): Contract<Params, Query, Body, Response> {
  return {
    functions: [snakeCase(declared.operationId)],
    audience: "public",
    idempotency: null,
    params: none as unknown as Params,
    tenantParam: null,
    query: none as unknown as Query,
    body: null,
    bodyMaxBytes: BODY_MAX_BYTES,
    upload: null,
    uploadExample: null,
    dryRun: "never",
    exported: null,
    file: null,
    download: null,
    status: 200,
    preview: null,
    showsResource: true,
    noun: nounOf(declared.path),
    resource: null,
    errors: [],
    ...declared,
  };
}

function snakeCase(operationId: string): string {
  return operationId.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** "exception" for /v1/exceptions/{id}: the word in the database's refusals. */
function nounOf(path: string): string {
  return path.split("/")[2]?.replace(/s$/, "").replaceAll("-", " ") ?? "resource";
}

/** The operation that exports a list: everything that its filters match, as one file. */
export function exportOf(list: Contract): Contract {
  const { exported, operationId, path, query } = list;
  if (!exported) throw new Error(`${operationId} has no export.`);
  const format = formatOf(exported);
  const { limit: _limit, cursor: _cursor, ...unpaged } = query.shape;
  const isPaged = _limit !== undefined;
  const exportQuery = { ...exported.query, format, end_mark: endMark } as {
    format: typeof format;
  };
  return contract({
    operationId: operationId.replace(/^(?:list|get)/, "export"),
    method: "GET",
    path: `${path}/export`,
    tag: list.tag,
    summary: exported.summary,
    audience: list.audience,
    description:
      `${exported.description ?? "Streams everything that matches the filters."} The export is ` +
      "recorded as a security event.",
    access: list.access,
    functions: exported.functions ?? list.functions,
    noun: list.noun,
    params: list.params,
    tenantParam: list.tenantParam,
    query: (isPaged
      ? z.strictObject({ ...unpaged, ...exportQuery })
      : query.safeExtend(exportQuery)) as z.ZodObject,
    response: z.string(),
    file: exported,
  }) as unknown as Contract;
}

const endMark = z
  .enum(["true", "false"])
  .optional()
  .meta({
    description:
      'If true, CSV ends with the line `#end,<rows>` and NDJSON with `{"$end":{"rows":<rows>}}`. ' +
      "A file without it was cut.",
    example: false,
    override: { type: "boolean", enum: undefined },
  });

function formatOf({ workbook }: Export) {
  const example = "csv";
  if (!workbook)
    return z.enum(EXPORT_FORMATS).meta({
      description: "CSV (RFC 4180) with a header row, or one JSON object per line.",
      example,
    });
  const description =
    "CSV (RFC 4180) with a header row, one JSON object per line, or a workbook of at most " +
    "20,000 rows.";
  return z.enum([...EXPORT_FORMATS, "xlsx"]).meta({ description, example });
}

/**
 * Whether a change returns 204 to a caller without the scope to read what it changed. Only API keys
 * can lack it, since every role that may write may read. A create returns what the caller sent, and
 * a dry run, which changes nothing, is refused.
 */
export function mayReturnNoContent({
  access,
  dryRun,
  method,
  showsResource,
  status,
  upload,
}: Contract): boolean {
  return (
    showsResource &&
    dryRun !== "always" &&
    method !== "GET" &&
    status === 200 &&
    upload === null &&
    readScopeOf(access) !== null
  );
}
