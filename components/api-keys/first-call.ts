import type { ApiKey } from "#lib/api-keys/contract.ts";

const FIRST_CALL_WITHIN_MS = 60 * 60 * 1000;

/** Whether an active key without a call is so new that its first call is still expected. */
export function awaitsFirstCall(
  key: Pick<ApiKey, "status" | "request_count" | "created_at">,
  nowMs: number,
): boolean {
  return (
    key.status === "active" &&
    key.request_count === 0 &&
    nowMs - Date.parse(key.created_at) < FIRST_CALL_WITHIN_MS
  );
}
