import { randomUUID } from "node:crypto";
import type { z } from "zod";
import { authorize } from "../auth/authorize.ts";
import { verifyCredential } from "../auth/credential.ts";
import { type Identity, principalFor } from "../auth/principal.ts";
import type { Context } from "../context.ts";
import type { Contract } from "../contract.ts";
import { dbFor } from "../db/client.ts";
import { env } from "../env.ts";
import { ApiError } from "../errors.ts";
import { tenantId as tenantIdSchema } from "../schema.ts";
import { type Input, readInput } from "./input.ts";
import { problemResponse } from "./problem.ts";
import { rateLimit } from "./rate-limit.ts";

export type Endpoint = { contract: Contract; serve: (request: Request, params: Record<string, string>) => Promise<Response> };

type Handler<C extends Contract> = (call: { ctx: Context } & Omit<Input<C>, "idempotency">) => Promise<z.output<C["response"]>>;

const limitCalls = once(() =>
  rateLimit({ name: "calls", perMinute: env().RATE_LIMIT_PER_MINUTE, refusal: "Too many calls with this credential." }),
);
const limitFailures = once(() =>
  rateLimit({
    name: "auth-failures",
    perMinute: env().AUTH_FAILURES_PER_MINUTE,
    refusal: "Too many failed credentials from this address.",
  }),
);

/** The way of a request: credential → principal → access → rate → input → verb → answer. Each arrow is one file. */
export function endpoint<C extends Contract>(contract: C, handler: Handler<C>): Endpoint {
  return {
    contract,
    async serve(request, rawParams) {
      const requestId = request.headers.get("x-request-id") ?? `req_${randomUUID().replaceAll("-", "")}`;
      const clientAddress = request.headers.get("x-tieout-client-address");
      const reply = new Headers({ "X-Request-Id": requestId, "Cache-Control": "no-store" });
      try {
        const identity = await verifyOrCount(request, clientAddress ?? "unknown", reply);
        const tenantId = readTenantId(request);
        const principal = principalFor(identity, tenantId);
        authorize(principal, contract.access);
        await limitCalls()(`${tenantId}:${principal.type}:${principal.id}`, reply);
        const { idempotency, ...input } = await readInput(contract, request, rawParams);
        const answer = await handler({
          ctx: {
            principal,
            tenantId,
            operation: contract.operationId,
            requestId,
            clientAddress,
            auditReason: request.headers.get("x-audit-reason"),
            idempotency,
            db: dbFor(principal, tenantId),
            reply,
          },
          ...input,
        });
        return Response.json(answer, { status: contract.status, headers: reply });
      } catch (error) {
        return problemResponse(error, requestId, reply);
      }
    },
  };
}

async function verifyOrCount(request: Request, address: string, reply: Headers): Promise<Identity> {
  try {
    return await verifyCredential(request);
  } catch (error) {
    if (error instanceof ApiError && error.code === "unauthenticated") await limitFailures()(address, reply);
    throw error;
  }
}

function readTenantId(request: Request): string {
  const named = request.headers.get("x-tenant-id");
  if (named === null || named.includes(",") || named.trim() === "") {
    throw new ApiError("tenant_required", "Send the header X-Tenant-Id once, with one tenant.");
  }
  const parsed = tenantIdSchema.safeParse(named);
  if (!parsed.success) throw new ApiError("tenant_forbidden", "This credential does not belong to the tenant named by X-Tenant-Id.");
  return parsed.data;
}

function once<Value>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => (made ??= make());
}
