import type { z } from "zod";
import { type Contract, type ExportFormat, exportOf } from "#lib/wire/contract.ts";
import type { ErrorCode, FieldError } from "#lib/wire/errors.ts";
import { PRODUCT } from "#lib/wire/product.ts";
import { sendBody } from "./kit/send-body.ts";
import { isPresent } from "./kit/user-presence.ts";

/** A response of /v1 that isn't a success, or no response at all (`status` 0). */
export class ApiProblem extends Error {
  readonly status: number;
  readonly code: ErrorCode | "unreachable";
  readonly requestId: string | null;
  readonly errors: FieldError[];

  constructor(
    status: number,
    problem: {
      code: ErrorCode | "unreachable";
      detail: string;
      request_id: string | null;
      errors?: FieldError[];
    },
  ) {
    super(problem.detail);
    this.status = status;
    this.code = problem.code;
    this.requestId = problem.request_id;
    this.errors = problem.errors ?? [];
  }
}

const NOT_MODIFIED = 304;

type InputOf<Schema> = Schema extends z.ZodType ? z.input<Schema> : never;

type Call<C extends Contract> = {
  tenant: string;
  params?: InputOf<C["params"]>;
  query?: { [Name in keyof InputOf<C["query"]>]?: string | number | undefined };
  body?: InputOf<C["body"]>;
  /** A body other than JSON, in one of the contract's media types. */
  upload?: { type: string; content: string | Blob };
  /** Called with the bytes of the upload that were sent so far. */
  onSent?: (bytes: number) => void;
  /** The same for every attempt at one change, so that retrying after a lost response is safe. */
  idempotencyKey?: string;
  /** The ETag that was read: 412 if the resource has changed since. */
  ifMatch?: string | null;
  /** The ETag of the response that the page has: 304 if there is nothing new. */
  ifNoneMatch?: string | null;
  /** Sent instead of the session. */
  credential?: string;
  signal?: AbortSignal;
};

type Answered<C extends Contract> = z.output<C["response"]>;

/**
 * Resolves to whether someone signed in again, so that the call can be repeated. `signal`: set for
 * reads, which can wait for that.
 */
type SessionKeeper = (signal: AbortSignal | undefined) => Promise<boolean>;

let keeper: SessionKeeper | null = null;

/** Registers who handles the end of the session; without a handler, calls fail with 401. */
export function onSessionEnd(nextKeeper: SessionKeeper): () => void {
  keeper = nextKeeper;
  return () => {
    keeper = null;
  };
}

/** Calls our own /v1 from a page, as its contract says. @throws ApiProblem */
export async function callApi<C extends Contract>(
  contract: C,
  call: Call<C>,
): Promise<Answered<C>> {
  return (await send(contract, call)).json();
}

/** As `callApi`, with the ETag of a versioned resource. @throws ApiProblem */
export async function callApiWithTag<C extends Contract>(
  contract: C,
  call: Call<C>,
): Promise<{ data: Answered<C>; etag: string | null }> {
  return tagged(await send(contract, call));
}

/** As `callApiWithTag`, or null if the page has the response already. @throws ApiProblem */
export async function callApiIfNew<C extends Contract>(
  contract: C,
  call: Call<C>,
): Promise<{ data: Answered<C>; etag: string | null } | null> {
  const response = await send(contract, call);
  return response.status === NOT_MODIFIED ? null : tagged(response);
}

async function tagged<Data>(response: Response): Promise<{ data: Data; etag: string | null }> {
  return { data: await response.json(), etag: response.headers.get("etag") };
}

/**
 * All results of a list that can be exported, regardless of `limit` and `cursor`. @throws
 * ApiProblem
 */
export async function exportFromApi<C extends Contract>(
  list: C,
  format: ExportFormat,
  { query, ...call }: Call<C>,
): Promise<Blob> {
  const {
    limit: _limit,
    cursor: _cursor,
    ...filters
  } = (query ?? {}) as Record<string, string | number | undefined>;
  return (
    await send(exportOf(list), { ...call, query: { ...filters, format } } as Call<Contract>)
  ).blob();
}

/** A file that an operation sends. @throws ApiProblem */
export async function downloadFromApi<C extends Contract>(
  contract: C,
  call: Call<C>,
): Promise<Blob> {
  return (await send(contract, call)).blob();
}

/** Sends part of a file. `replayed`: it was already done under this key. @throws ApiProblem */
export async function uploadToApi<C extends Contract>(
  contract: C,
  call: Call<C>,
): Promise<{ data: Answered<C>; replayed: boolean }> {
  const response = await send(contract, call);
  return {
    data: await response.json(),
    replayed: response.headers.get("idempotency-replayed") === "true",
  };
}

/** What a call with `preview=true` would do; nothing is kept. @throws ApiProblem */
export async function previewFromApi<Preview>(
  contract: Contract,
  call: Call<Contract>,
): Promise<Preview> {
  return (await send(contract, call)).json();
}

async function send<C extends Contract>(contract: C, call: Call<C>): Promise<Response> {
  const { body, upload, onSent, signal } = call;
  const url = urlOf(contract, call);
  const sent = { method: contract.method, headers: headersOf(call), signal };
  const response = await (upload && onSent
    ? sendBody(url, { ...sent, body: upload.content }, onSent)
    : fetch(url, {
        ...sent,
        body: upload?.content ?? (body === undefined ? undefined : JSON.stringify(body)),
      })
  ).catch((cause) => {
    if (signal?.aborted) throw cause;
    throw new ApiProblem(0, {
      code: "unreachable",
      detail: `${PRODUCT} can't be reached. Check your connection.`,
      request_id: null,
    });
  });
  if (response.ok || response.status === NOT_MODIFIED) return response;
  const problem = await response.json();
  if (response.status !== 401 || call.credential) throw new ApiProblem(response.status, problem);
  // Repeated unchanged, so that nothing has to be entered twice.
  if (await keeper?.(signal)) return send(contract, call);
  throw new ApiProblem(401, {
    ...problem,
    detail: "Your session has ended. Sign in again to continue.",
  });
}

function headersOf({
  tenant,
  body,
  upload,
  idempotencyKey,
  ifMatch,
  ifNoneMatch,
  credential,
}: Omit<Call<Contract>, "params" | "query">): Record<string, string> {
  return {
    "X-Tenant-Id": tenant,
    ...(!isPresent() && { "X-Unattended": "true" }),
    ...(body !== undefined && { "Content-Type": "application/json" }),
    ...(upload && { "Content-Type": upload.type }),
    ...(idempotencyKey !== undefined && { "Idempotency-Key": idempotencyKey }),
    ...(ifMatch && { "If-Match": ifMatch }),
    ...(ifNoneMatch && { "If-None-Match": ifNoneMatch }),
    ...(credential && { Authorization: `Bearer ${credential}` }),
  };
}

function urlOf<C extends Contract>(contract: C, { params, query = {} }: Call<C>): string {
  const values = (params ?? {}) as Record<string, unknown>;
  const path = contract.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(values[name])),
  );
  const present = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
  const search = new URLSearchParams(
    present.map(([name, value]) => [name, String(value)]),
  ).toString();
  return search ? `${path}?${search}` : path;
}

/** Whether the server refused (retrying changes nothing), as opposed to failing to respond. */
export function isRefusal(error: Error): boolean {
  return (
    error instanceof ApiProblem && error.status >= 400 && error.status < 500 && error.status !== 429
  );
}

export function newIdempotencyKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
}
