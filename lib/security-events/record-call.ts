import type { ErrorCode } from "../wire/errors.ts";
import { writeEvents } from "./write-events.ts";

type Call = { request: Request; requestId: string; address: string | null; tenantId?: string };

/**
 * Records a service-role call that the database didn't record, because it was refused there or
 * never sent to it.
 */
export async function recordServiceCall(
  operation: string,
  call: Call,
  outcome: ErrorCode | "done",
): Promise<void> {
  await writeEvents([
    {
      tenant_id: call.tenantId ?? null,
      elsewhere: true,
      type: "service_role.call",
      actor: "service_role",
      credential: "service_role",
      cross_tenant: true,
      operation,
      address: call.address,
      request_id: call.requestId,
      reason: auditReason(call.request),
      details: { outcome, tenant: call.tenantId ?? null },
    },
  ]);
}

const MAX_REASON_LENGTH = 1000;

/** Cut and made well-formed so that it can be stored; an invalid reason is refused elsewhere. */
export function auditReason(request: Request): string | null {
  const bytes = request.headers.get("x-audit-reason");
  return (
    bytes &&
    Buffer.from(bytes, "latin1").toString("utf8").slice(0, MAX_REASON_LENGTH).toWellFormed()
  );
}
