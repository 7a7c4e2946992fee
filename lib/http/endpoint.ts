import { randomUUID } from "node:crypto";
import type { z } from "zod";
import type { Context } from "../context.ts";
import type { Contract } from "../contract.ts";
import { dbFor } from "../db/client.ts";
import { admit } from "./admit.ts";
import { acceptsCsv, csvResponse } from "./csv.ts";
import { readIfMatch } from "./if-match.ts";
import { type Input, readInput } from "./input.ts";
import { problemResponse } from "./problem.ts";

export type Endpoint = { contract: Contract; serve: (request: Request, params: Record<string, string>) => Promise<Response> };

type Handler<C extends Contract> = (call: { ctx: Context } & Omit<Input<C>, "idempotency">) => Promise<z.output<C["response"]>>;

/** The way of a request: who may (admit) → what is asked (input) → one domain verb → its parsed answer, or a problem. */
export function endpoint<C extends Contract>(contract: C, handler: Handler<C>): Endpoint {
  return {
    contract,
    async serve(request, params) {
      const requestId = request.headers.get("x-request-id") ?? newRequestId();
      const address = request.headers.get("x-tieout-client-address");
      const reply = new Headers({ "X-Request-Id": requestId, "Cache-Control": "no-store" });
      try {
        const { principal, tenantId } = await admit(contract, { request, params, address, reply });
        const { idempotency, ...input } = await readInput(contract, request, params);
        const ctx: Context = {
          principal,
          tenantId,
          operation: contract.operationId,
          requestId,
          clientAddress: address,
          auditReason: request.headers.get("x-audit-reason"),
          idempotency,
          ifMatch: contract.versioned ? readIfMatch(request) : null,
          db: dbFor(principal, tenantId),
          reply,
        };
        const answer = await handler({ ctx, ...input });
        if (contract.csv && acceptsCsv(request)) return csvResponse(contract.csv, answer, reply);
        return Response.json(answer, { status: contract.status, headers: reply });
      } catch (error) {
        return problemResponse(error, requestId, reply);
      }
    },
  };
}

export function newRequestId(): string {
  return `req_${randomUUID().replaceAll("-", "")}`;
}
