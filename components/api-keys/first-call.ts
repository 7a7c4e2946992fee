import type { ApiKey } from "#lib/api-keys/contract.ts";

const EXPECTED_TIMEOUT_MS = 60 * 60 * 1000;

/** Whether a key is new enough that its first call is expected any moment. */
export function awaitsFirstCall(
  key: Pick<ApiKey, "status" | "request_count" | "created_at">,
  nowMs: number,
): boolean {
  return (
    key.status === "active" &&
    key.request_count === 0 &&
    nowMs - Date.parse(key.created_at) < EXPECTED_TIMEOUT_MS
  );
}
