/** A contract is data: the endpoint, OpenAPI, the browser's client, the docs and the authorisation tests all read it. */
import { z } from "zod";
import type { Access } from "./access.ts";
import type { ErrorCode } from "./errors.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export type IdempotencyField = "idempotency_key" | "idempotencyKey";

/** `field`: where the spec has the key in that body. The header `Idempotency-Key` is taken everywhere a body key is. */
export type Idempotency = { field: IdempotencyField; required: boolean };

const BODY_MAX_BYTES = 1024 * 1024;
export type Csv<Answer> = { columns: readonly string[]; rows: (answer: Answer) => readonly Record<string, unknown>[] };

/** A list that is also streamed as a table, all of it, for callers that accept text/csv or application/x-ndjson. */
export type Table<Row> = { columns: readonly string[]; row: (row: Row) => Record<string, unknown> };

type ItemOf<Page> = Page extends { items: readonly (infer Item)[] } ? Item : never;

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
  /** The exposed functions of the database that serve it: by default the one with its name, in snake case. */
  functions: readonly string[];
  idempotency: Idempotency | null;
  params: Params;
  query: Query;
  /** Null where the operation takes no body. */
  body: Body | null;
  bodyMaxBytes: number;
  /** Media types of a body that is no JSON object and is read as it comes, null for the others. */
  upload: readonly string[] | null;
  response: Response;
  /** The answer as a table, for callers that accept text/csv; null where there is none. */
  csv: Csv<z.output<Response>> | null;
  /** The list as a table, for callers that accept text/csv or application/x-ndjson; null where there is none. */
  table: Table<ItemOf<z.output<Response>>> | null;
  status: 200 | 201;
  /** What a 404 says there is none of. */
  noun: string;
  /** Whether the answer carries an `ETag`, by which PUT, PATCH and DELETE honour `If-Match`. */
  versioned: boolean;
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
    functions: [snakeCase(declared.operationId)],
    idempotency: null,
    params: none as unknown as Params,
    query: none as unknown as Query,
    body: null,
    bodyMaxBytes: BODY_MAX_BYTES,
    upload: null,
    csv: null,
    table: null,
    status: 200,
    noun: nounOf(declared.path),
    versioned: false,
    errors: [],
    ...declared,
  };
}

function snakeCase(operationId: string): string {
  return operationId.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** "exception" of /v1/exceptions/{id}: the same word that the database's refusal uses. */
function nounOf(path: string): string {
  return path.split("/")[2]?.replace(/s$/, "").replaceAll("-", " ") ?? "thing";
}
