import { randomUUID } from "node:crypto";
import type { z } from "zod";
import type { Context } from "../context.ts";
import type { Contract } from "../contract.ts";
import { dbFor } from "../db/client.ts";
import { admit } from "./admit.ts";
import { acceptsCsv, csvResponse } from "./csv.ts";
import { readIfMatch } from "./if-match.ts";
import { type Input, readInput } from "./input.ts";
import { timed } from "./metrics.ts";
import { type Caller, onRecord } from "./on-record.ts";
import { problemResponse } from "./problem.ts";
import { tableFormat, tableResponse } from "./table.ts";

export type Endpoint = { contract: Contract; serve: (request: Request, params: Record<string, string>) => Promise<Response> };

type Call<C extends Contract> = { ctx: Context } & Omit<Input<C>, "idempotency">;
type Handler<C extends Contract> = (call: Call<C>) => Promise<z.output<C["response"]>>;
/** All of a list, page by page, for contracts with a table. */
type Exporter<C extends Contract> = (call: Call<C>) => AsyncIterable<Parameters<NonNullable<C["table"]>["row"]>[0][]>;

/** The way of a request: who may (admit) → what is asked (input) → one domain verb → its parsed answer, or a problem. */
export function endpoint<C extends Contract>(contract: C, handler: Handler<C>, exporter?: Exporter<C>): Endpoint {
  return {
    contract,
    serve: timed(contract.operationId, async (request, params) => {
      const requestId = request.headers.get("x-request-id") ?? newRequestId();
      const address = request.headers.get("x-tieout-client-address");
      const reply = new Headers({ "X-Request-Id": requestId, "Cache-Control": "no-store" });
      const caller: Caller = { request, requestId, params, address, reply, trail: { written: false } };
      try {
        return await onRecord(contract, caller, async () => {
          const { principal, tenantId } = await admit(contract, caller);
          const { idempotency, ...input } = await readInput(contract, request, params);
          const csv = contract.csv && acceptsCsv(request) ? contract.csv : null;
          const format = exporter && contract.table ? tableFormat(request) : csv && "csv";
          const ctx: Context = {
            principal,
            tenantId,
            operation: contract.operationId,
            requestId,
            clientAddress: address,
            auditReason: request.headers.get("x-audit-reason"),
            idempotency,
            ifMatch: contract.versioned ? readIfMatch(request) : null,
            exported: format && { format, query: input.query },
            continues: false,
            trail: caller.trail,
            db: dbFor(principal, tenantId),
            reply,
          };
          if (format && exporter && contract.table) {
            return tableResponse(contract.table, format, exporter({ ctx, ...input }), reply);
          }
          const answer = await handler({ ctx, ...input });
          if (csv) return csvResponse(csv, answer, reply);
          return Response.json(answer, { status: contract.status, headers: reply });
        });
      } catch (error) {
        return problemResponse(error, requestId, reply);
      }
    }),
  };
}

export function newRequestId(): string {
  return `req_${randomUUID().replaceAll("-", "")}`;
}
