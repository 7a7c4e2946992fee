import { z } from "zod";
import type { IdempotencyRecord } from "../context.ts";
import type { Contract } from "../contract.ts";
import { ApiError, type FieldError, invalidRequest } from "../errors.ts";
import { fieldWords } from "../field-words.ts";
import { requireText } from "../json-object.ts";
import { readIdempotency } from "./idempotency.ts";
import { readJsonObject, requireMediaType } from "./json.ts";

/** Reporting each of 100,000 invalid fields would make the response many times larger than the request. */
const ERRORS_TOLD = 100;

export type Input<C extends Contract> = {
  params: z.output<C["params"]>;
  query: z.output<C["query"]>;
  body: z.output<NonNullable<C["body"]>>;
  upload: Upload;
  idempotency: IdempotencyRecord | null;
};

/** A body that is read as it comes, of one of the contract's media types. */
export type Upload = { mediaType: string; stream: ReadableStream<Uint8Array> };

/** Of parameters other than a contract's own `id`. */
const NOUNS: Record<string, string> = { keyId: "API key", deliveryId: "delivery" };

/** Parses a request by its contract. @throws ApiError 400, 413, 415; 404 for an identifier that cannot be one. */
export async function readInput<C extends Contract>(contract: C, request: Request, rawParams: Record<string, string>): Promise<Input<C>> {
  const query = parse(contract.query, readQuery(request), []);
  const takesBody = contract.upload === null && (contract.body !== null || contract.idempotency !== null);
  const json = takesBody ? ((await readJsonObject(request, mediaTypes(contract), contract.bodyMaxBytes)) ?? {}) : {};
  const { record: idempotency, rest } = readIdempotency(contract, request, rawParams, json);
  const body = contract.body ? parse(contract.body, rest, []) : parse(z.strictObject({}), rest, []);
  const params = contract.params.safeParse(rawParams);
  if (!params.success) throw new ApiError("not_found", `There is no such ${nounOf(contract, params.error)}.`);
  return { params: params.data, query, body, idempotency, upload: contract.upload && readUpload(request, contract.upload) } as Input<C>;
}

/** What the first identifier that cannot be one would be of. The database says the same of one that never was. */
function nounOf({ noun }: Contract, { issues }: z.ZodError): string {
  return NOUNS[String(issues[0]?.path[0])] ?? noun;
}

function readUpload(request: Request, types: readonly string[]): Upload {
  const mediaType = requireMediaType(request, types);
  if (!request.body) throw invalidRequest([{ path: "", message: "A request body is required." }]);
  return { mediaType, stream: request.body };
}

export function mediaTypes(contract: Contract): readonly string[] {
  if (contract.upload) return contract.upload;
  return contract.method === "PATCH" ? ["application/json", "application/merge-patch+json"] : ["application/json"];
}

function readQuery(request: Request): Record<string, string> {
  const query: Record<string, string> = {};
  for (const [name, value] of new URL(request.url).searchParams) {
    requireText(name, "");
    requireText(value, name);
    if (Object.hasOwn(query, name)) throw invalidRequest([{ path: name, message: "Send this parameter only once." }]);
    Object.defineProperty(query, name, { value, enumerable: true });
  }
  return query;
}

function parse(schema: z.ZodType, value: unknown, prefix: string[]): unknown {
  const result = schema.safeParse(value, { error: fieldWords });
  if (result.success) return result.data;
  throw invalidRequest(result.error.issues.flatMap((issue) => fieldErrors(issue, prefix)).slice(0, ERRORS_TOLD));
}

function fieldErrors(issue: z.core.$ZodIssue, prefix: string[]): FieldError[] {
  const path = [...prefix, ...issue.path.map(String)];
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({ path: [...path, key].join("."), message: "Unknown field." }));
  }
  return [{ path: path.join("."), message: issue.message }];
}
