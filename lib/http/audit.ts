import type { Identity, Principal } from "../auth/principal.ts";
import { recordServiceCall } from "../security-events/record-call.ts";
import { isRefusal, recordRefusal } from "../security-events/record-refusal.ts";
import type { Contract } from "../wire/contract.ts";
import { ApiError, ERRORS, type ErrorCode } from "../wire/errors.ts";

/** A request and what is known of its caller by now. */
export type Caller = {
  request: Request;
  requestId: string;
  params: Record<string, string>;
  address: string | null;
  reply: Headers;
  identity?: Identity;
  principal?: Principal;
  /** As named in X-Tenant-Id. */
  tenantId?: string;
  trail: { written: boolean };
  /** For the request log. */
  exchange: Exchange;
};

/**
 * The bodies of a call, null where one wasn't kept whole; `admitted`: its credential, tenant, role or scope, address and rate let it run;
 * `made`: the ID of the resource that it created; `previews`: it asks what would change, and changes nothing.
 */
export type Exchange = {
  startedAt: number;
  admitted: boolean;
  sent: Buffer | null;
  answered: string | null;
  errorCode: ErrorCode | null;
  made: string | null;
  previews: boolean;
};

/**
 * Leaves in the audit trail what the database did not see: refusals, and service-role calls that changed nothing there. What
 * cannot be recorded is not answered either.
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
  // The database may have committed before it fell silent.
  const isCertain = ERRORS[error.code].status < 500;
  if (isCertain && isUnrecordedCall(caller))
    await recordServiceCall(contract.operationId, caller, error.code);
  else if (isRefusal(error.code)) await recordRefusal(contract, caller, error);
}

function isUnrecordedCall({ principal, trail }: Caller): boolean {
  return principal?.type === "service_role" && !trail.written;
}
