import { randomUUID } from "node:crypto";
import type { z } from "zod";
import type { Principal } from "../auth/principal.ts";
import { responseOf } from "../request/answer.ts";
import { type Context, contextFor } from "../request/context.ts";
import { NotModified } from "../request/not-modified.ts";
import { env } from "../runtime/env.ts";
import {
  type Contract,
  type Export,
  type Exported,
  type ExportFormat,
  exportOf,
  mayReturnNoContent,
} from "../wire/contract.ts";
import { invalidRequest } from "../wire/errors.ts";
import { CLIENT_ADDRESS_HEADER } from "../wire/inbound-headers.ts";
import { attachment } from "./attachment.ts";
import { type Caller, type Exchange, withAudit } from "./audit.ts";
import { authenticate, reauthenticate } from "./authenticate.ts";
import { isNotModified, readIfMatch } from "./conditional-requests.ts";
import { allowsAnyOrigin, openToBrowsers } from "./cors.ts";
import { exportResponse } from "./export.ts";
import { type Input, readInput } from "./input.ts";
import { locationOf } from "./location.ts";
import { logCall } from "./log-call.ts";
import { withMetrics } from "./metrics.ts";
import { polledTag, readKnown } from "./polled.ts";
import { problemResponse } from "./problem.ts";
import { lacksReadScope, requireReadScope } from "./write-only.ts";

export type Endpoint = {
  contract: Contract;
  serve: (request: Request, params: Record<string, string>) => Promise<Response>;
};

type Call<C extends Contract> = { ctx: Context } & Omit<Input<C>, "idempotency" | "auditReason">;

/**
 * Serves an operation in four steps: authenticate the caller, parse the input, call one domain
 * verb, write its result by the contract (or a problem). `preview` is the verb that reports what a
 * change would do, for contracts that have a preview response.
 */
export function endpoint<C extends Contract>(
  contract: C,
  verb: (call: Call<C>) => Promise<z.input<C["response"]>>,
  preview?: (call: Call<C>) => Promise<z.input<NonNullable<C["preview"]>>>,
): Endpoint {
  const previewed = {
    ...contract,
    response: contract.preview ?? contract.response,
    status: 200 as const,
  };
  return served(contract, async (call, request, exchange) => {
    const isPreview =
      preview !== undefined && (call.query as { preview?: string }).preview === "true";
    const responded = isPreview ? previewed : contract;
    const headers = call.ctx.reply;
    const found = await responseOf(
      responded,
      call.ctx,
      isPreview ? preview(call) : verb(call),
    ).catch((error) => {
      if (error instanceof NotModified) return null;
      throw error;
    });
    if (!found) call.ctx.state = call.ctx.known;
    const etag = found?.etag ?? polledTag(request, call.ctx);
    if (etag !== null) headers.set("ETag", etag);
    if (!found) return new Response(null, { status: 304, headers });
    const { body, data } = found;
    if (mayReturnNoContent(responded) && lacksReadScope(call.ctx.principal, responded)) {
      exchange.responseBody = "";
      return new Response(null, { status: 204, headers });
    }
    if (etag !== null && contract.method === "GET" && isNotModified(request.headers, etag))
      return new Response(null, { status: 304, headers });
    headers.set("Content-Type", "application/json");
    exchange.responseBody = body;
    const { id = null } = data as { id?: string };
    if (responded.status === 201) exchange.createdId = id;
    if (responded.status !== 200 && id !== null && !headers.has("Location"))
      headers.set("Location", locationOf(id, call.ctx.tenantId, contract.path));
    return new Response(body, { status: responded.status, headers });
  });
}

/** Like `endpoint`, for the export of a list: every item that its filters match, page by page. */
export function exportEndpoint<C extends Contract>(
  list: C,
  verb: (call: Call<C>) => Exported | Promise<Exported>,
): Endpoint {
  const contract = exportOf(list);
  return served(contract, async ({ ctx, query: { format, end_mark, ...filters }, ...input }) => {
    const exported = { format: format as ExportFormat, query: filters };
    const call = { ...input, query: filters, ctx: { ...ctx, exported } } as unknown as Call<C>;
    const { columns } = filters as { columns?: readonly string[] };
    return exportResponse(
      ctx.tenantId,
      withColumns(contract.file as Export, columns),
      exported.format,
      { name: fileNameOf(contract), ...(await verb(call)) },
      ctx.reply,
      end_mark === "true",
    );
  });
}

/** "sla-exceptions" of `exportSlaExceptions`. */
function fileNameOf({ operationId }: Contract): string {
  return operationId
    .replace(/^export/, "")
    .replace(/(?<!^)[A-Z]/g, (letter) => `-${letter}`)
    .toLowerCase();
}

/** The file with these of its columns, in this order. */
function withColumns(file: Export, columns: readonly string[] | undefined): Export {
  if (!columns) return file;
  return {
    ...file,
    columns,
    workbook: file.workbook?.map((sheet) => ({
      ...sheet,
      columns: columns.flatMap((field) => sheet.columns.filter((column) => column.field === field)),
    })),
  };
}

/** A file that is written while it is sent. `name` is what a browser saves it as. */
type Download = { body: ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer>; name: string };

/**
 * Like `endpoint`, for a response that is a file. An error before the first byte is a problem
 * response.
 */
export function downloadEndpoint<C extends Contract>(
  contract: C,
  download: (call: Call<C>) => Promise<Download>,
): Endpoint {
  return served(contract, async ({ ctx, ...input }) => {
    const { body, name } = await download({ ...input, ctx } as unknown as Call<C>);
    ctx.reply.set("Content-Type", contract.download?.type ?? "application/octet-stream");
    ctx.reply.set("Content-Disposition", attachment(name));
    return new Response(body, { headers: ctx.reply });
  });
}

function served<C extends Contract>(
  contract: C,
  answer: (call: Call<C>, request: Request, exchange: Exchange) => Promise<Response>,
): Endpoint {
  return {
    contract,
    serve: withMetrics(contract.operationId, async (request, params) => {
      const requestId = request.headers.get("x-request-id") ?? newRequestId();
      const address = request.headers.get(CLIENT_ADDRESS_HEADER);
      const reply = new Headers({ "X-Request-Id": requestId, "Cache-Control": "no-store" });
      if (allowsAnyOrigin(contract)) openToBrowsers(reply);
      const exchange: Exchange = {
        startedAt: performance.now(),
        isAuthorized: false,
        requestBody: null,
        responseBody: null,
        errorCode: null,
        createdId: null,
        isPreview: false,
        waited: { ms: 0 },
      };
      const caller: Caller = {
        request,
        requestId,
        params,
        address,
        reply,
        trail: { written: false },
        exchange,
      };
      const response = await withAudit(contract, caller, async () => {
        const { principal, tenantId } = await authenticate(contract, caller);
        exchange.isAuthorized = true;
        const { idempotency, auditReason, ...input } = await readInput(
          contract,
          tenantId,
          request,
          params,
          (bytes) => {
            exchange.requestBody = bytes;
          },
        );
        exchange.isPreview =
          contract.dryRun === "always" || (contract.dryRun === "asked" && isDryRun(input.body));
        if (exchange.isPreview || hasFilter(input.body)) requireReadScope(principal, contract);
        requireReason(principal, auditReason);
        const ctx = contextFor(contract, {
          principal,
          tenantId,
          requestId,
          clientAddress: address,
          auditReason,
          idempotency,
          allowedVersions: contract.resource === "versioned" ? readIfMatch(request.headers) : null,
          known:
            contract.resource === "polled" ? readKnown(request, { tenantId, principal }) : null,
          // Our pages preview as soon as a dialog opens. That is no act of the user, so only calls
          // with a token or an API key are recorded as previews.
          dryRun: principal.sessionId === null && exchange.isPreview,
          trail: caller.trail,
          waited: exchange.waited,
          reauthenticate: () => reauthenticate(contract, caller),
          callerLeft: () => request.signal,
          reply,
        });
        return answer({ ctx, ...input }, request, exchange);
      }).catch((error) =>
        problemResponse(error, requestId, reply, ({ code, body }) => {
          exchange.errorCode = code;
          exchange.responseBody = body;
        }),
      );
      logCall(contract, caller, response);
      return response;
    }),
  };
}

/** `dry_run: true` in the body asks for a preview. */
function isDryRun(body: unknown): boolean {
  return (body as { dry_run?: boolean }).dry_run === true;
}

/** `filter` in the body selects every item to change, so the call also reads. */
function hasFilter(body: unknown): boolean {
  return (body as { filter?: unknown }).filter !== undefined;
}

/**
 * @throws ApiError `invalid_request` if the operator requires a reason for service-role calls and
 * the call has none.
 */
function requireReason({ type }: Principal, reason: string | null): void {
  if (type !== "service_role" || reason !== null) return;
  if (env().SERVICE_ROLE_REASON === "required")
    throw invalidRequest([
      { path: "X-Audit-Reason", message: "Say why the service-role key is used." },
    ]);
}

export function newRequestId(): string {
  return `req_${randomUUID().replaceAll("-", "")}`;
}
