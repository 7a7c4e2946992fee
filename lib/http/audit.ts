import type { Identity, Principal } from "../auth/principal.ts";
import { recordServiceCall } from "../security-events/record-call.ts";
import { isRefusal, recordRefusal } from "../security-events/record-refusal.ts";
import type { Contract } from "../wire/contract.ts";
import { ApiError, ERRORS, type ErrorCode } from "../wire/errors.ts";

/** A request and what the pipeline has learned of its caller so far. */
export type Caller = {
  request: Request;
  requestId: string;
  params: Record<string, string>;
  address: string | null;
  reply: Headers;
  identity?: Identity;
  principal?: Principal;
  /** From the X-Tenant-Id header. */
  tenantId?: string;
  trail: { written: boolean };
  /** What the request log stores. */
  exchange: Exchange;
};

/**
 * What the request log stores of a call. A body is null if it was not kept whole. `isAuthorized`:
 * credential, tenant, role or scope, address and rate limit allowed the call. `createdId`: the ID
 * of the resource it created. `isPreview`: it changes nothing. `waited`: how long it waited because
 * the caller asked it to.
 */
export type Exchange = {
  startedAt: number;
  isAuthorized: boolean;
  requestBody: Buffer | null;
  responseBody: string | null;
  errorCode: ErrorCode | null;
  createdId: string | null;
  isPreview: boolean;
  waited: { ms: number };
};

/**
 * Records in the audit trail what the database did not see: refusals, and service-role calls that
 * changed nothing there. A call that cannot be recorded fails, so that no access goes unaudited.
 */
export async function withAudit<Result>(
  contract: Contract,
  caller: Caller,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    const result = await work();
    if (isUnrecordedCall(caller)) await recordServiceCall(contract.operationId, caller, "done");
    return result;
  } catch (error) {
    if (error instanceof ApiError) await recordError(contract, caller, error);
    throw error;
  }
}

async function recordError(contract: Contract, caller: Caller, error: ApiError): Promise<void> {
  // After a 5xx, the database may have committed and recorded the call already.
  const isCertain = ERRORS[error.code].status < 500;
  if (isCertain && isUnrecordedCall(caller))
    await recordServiceCall(contract.operationId, caller, error.code);
  else if (isRefusal(error.code)) await recordRefusal(contract, caller, error);
}

function isUnrecordedCall({ principal, trail }: Caller): boolean {
  return principal?.type === "service_role" && !trail.written;
}
