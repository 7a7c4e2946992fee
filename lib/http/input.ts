import { z } from "zod";
import type { IdempotencyRecord } from "../request/context.ts";
import { maskSecrets } from "../runtime/mask-secrets.ts";
import type { Contract } from "../wire/contract.ts";
import { ApiError, type FieldError, invalidRequest } from "../wire/errors.ts";
import { fieldMessage } from "../wire/field-messages.ts";
import { QUERY_HEADER } from "../wire/inbound-headers.ts";
import { isVisible } from "../wire/schema.ts";
import { requireName, requireText } from "../wire/text.ts";
import { headerText } from "./header-text.ts";
import { readIdempotency } from "./idempotency.ts";
import { readJsonObject, requireMediaType } from "./json.ts";

/**
 * The maximum number of field errors in a response. Reporting each of 20,000 invalid fields would
 * make the response many times larger than the request.
 */
const ERRORS_MAX = 100;
export const AUDIT_REASON_MAX = 1000;
/** One schema for all operations without a body: zod compiles a schema when it is first used. */
const NO_FIELDS = z.strictObject({});

export type Input<C extends Contract> = {
  params: z.output<C["params"]>;
  query: z.output<C["query"]>;
  body: z.output<NonNullable<C["body"]>>;
  upload: Upload;
  idempotency: IdempotencyRecord | null;
  auditReason: string | null;
};

/**
 * A body that is read as a stream. `mediaType` is one of the contract's; `length` is the declared
 * Content-Length in bytes, or null.
 */
export type Upload = {
  mediaType: string;
  stream: ReadableStream<Uint8Array>;
  length: number | null;
};

/** What a parameter other than the contract's `id` identifies, for a 404. */
const NOUNS: Record<string, string> = {
  keyId: "API key",
  deliveryId: "delivery",
  memberId: "member",
  invitationId: "invitation",
  number: "signed statement",
  balanceId: "balance",
};

/**
 * Parses a request by its contract. `onRead` receives the raw body. @throws ApiError 400, 413, 415,
 * 429, and 404 for a path parameter that cannot be an identifier.
 */
export async function readInput<C extends Contract>(
  contract: C,
  tenantId: string,
  request: Request,
  rawParams: Record<string, string>,
  onRead?: (body: Buffer) => void,
): Promise<Input<C>> {
  const reason = headerText(request.headers, "X-Audit-Reason", AUDIT_REASON_MAX);
  // A blank reason is none, where the operator requires one.
  const auditReason = reason !== null && isVisible(reason) ? maskSecrets(reason) : null;
  const query = parse(contract.query, readQuery(request), []);
  // An operation without fields rejects every field.
  const readsJson = contract.upload === null && contract.method !== "GET";
  const json = readsJson
    ? ((await readJsonObject(
        tenantId,
        request,
        mediaTypes(contract),
        contract.bodyMaxBytes,
        onRead,
      )) ?? {})
    : {};
  const { record: idempotency, rest } = readIdempotency(contract, request, rawParams, json);
  const body = parse(contract.body ?? NO_FIELDS, rest, []);
  const params = contract.params.safeParse(rawParams);
  if (!params.success)
    throw new ApiError("not_found", `There is no such ${nounOf(contract, params.error)}.`);
  const upload = contract.upload && readUpload(request, contract.upload);
  return { params: params.data, query, body, upload, idempotency, auditReason } as Input<C>;
}

/**
 * What the first malformed identifier would identify. The 404 is the same as for an unknown
 * identifier.
 */
function nounOf({ noun }: Contract, { issues }: z.ZodError): string {
  return NOUNS[String(issues[0]?.path[0])] ?? noun;
}

function readUpload(request: Request, types: readonly string[]): Upload {
  const mediaType = requireMediaType(request, types);
  if (!request.body) throw invalidRequest([{ path: "", message: "A request body is required." }]);
  const length = request.headers.get("content-length");
  return { mediaType, stream: request.body, length: length === null ? null : Number(length) };
}

export function mediaTypes(contract: Contract): readonly string[] {
  if (contract.upload) return contract.upload;
  return contract.method === "PATCH"
    ? ["application/json", "application/merge-patch+json"]
    : ["application/json"];
}

/**
 * Like URLSearchParams, but rejects invalid UTF-8 and duplicate names, which that class accepts.
 */
function readQuery({ url, headers }: Request): Record<string, string> {
  const sent = headers.get(QUERY_HEADER) ?? new URL(url).search.slice(1);
  const pairs = sent.split("&").filter(Boolean);
  const query = new Map<string, string>();
  for (const pair of pairs) {
    const [name, value] = pair.split(/=(.*)/s, 2).map(decodeQuery);
    if (name === undefined || name === null || value === null) {
      throw invalidRequest([
        { path: name ?? "", message: "Percent-encode this parameter in UTF-8." },
      ]);
    }
    requireName(name, () => name);
    requireText(value ?? "", () => name);
    if (query.has(name))
      throw invalidRequest([{ path: name, message: "Send this parameter only once." }]);
    query.set(name, value ?? "");
  }
  return Object.fromEntries(query);
}

/** Null if it isn't UTF-8. */
function decodeQuery(encoded: string): string | null {
  try {
    return decodeURIComponent(encoded.replaceAll("+", " "));
  } catch {
    return null;
  }
}

/** @throws ApiError 400 with the first 100 invalid fields. */
export function parse(schema: z.ZodType, value: unknown, prefix: string[]): unknown {
  const result = schema.safeParse(value, { error: fieldMessage });
  if (result.success) return result.data;
  throw invalidRequest(
    result.error.issues.flatMap((issue) => fieldErrors(issue, prefix)).slice(0, ERRORS_MAX),
  );
}

function fieldErrors(issue: z.core.$ZodIssue, prefix: string[]): FieldError[] {
  const path = [...prefix, ...issue.path.map(String)];
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({ path: [...path, key].join("."), message: "Unknown field." }));
  }
  return [{ path: path.join("."), message: issue.message }];
}
