import { createHash } from "node:crypto";
import type { IdempotencyRecord } from "../context.ts";
import type { Contract } from "../contract.ts";
import { ApiError, invalidRequest } from "../errors.ts";
import { requireText } from "../json-object.ts";

const LONGEST_KEY = 255;

/** Takes the idempotency key out of the body or the header. @throws ApiError 400 where both differ, or one is due. */
export function readIdempotency(
  contract: Contract,
  request: Request,
  params: Record<string, string>,
  body: Record<string, unknown>,
): { record: IdempotencyRecord | null; rest: Record<string, unknown> } {
  if (!contract.idempotency) return { record: null, rest: body };
  const { field, required } = contract.idempotency;
  const { [field]: inBody, ...rest } = body;
  const inHeader = request.headers.get("idempotency-key");
  if (inBody !== undefined && inBody !== null) requireKey(inBody, field);
  if (inHeader !== null) requireKey(inHeader, "Idempotency-Key");
  if (typeof inBody === "string" && inHeader !== null && inBody !== inHeader) {
    throw invalidRequest([
      { path: field, message: "The idempotency keys in the body and in the Idempotency-Key header differ. Send only one." },
    ]);
  }
  const key = typeof inBody === "string" ? inBody : inHeader;
  if (key === null) {
    if (required) {
      throw new ApiError("idempotency_key_required", `Send ${field} in the body or an Idempotency-Key header.`, {
        errors: [{ path: field, message: "Required: any string of up to 255 characters, unique to this request." }],
      });
    }
    return { record: null, rest };
  }
  return { record: { key, key_hash: sha256(key), fingerprint: sha256(canonical([params, rest])) }, rest };
}

function requireKey(value: unknown, path: string): asserts value is string {
  if (typeof value !== "string" || value === "" || [...value].length > LONGEST_KEY) {
    throw invalidRequest([{ path, message: `Must be 1 to ${LONGEST_KEY} characters.` }]);
  }
  requireText(value, path);
}

/** The same text for the same JSON, whatever the order of its keys. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, child) =>
    typeof child === "object" && child !== null && !Array.isArray(child)
      ? Object.fromEntries(Object.entries(child).sort(([left], [right]) => (left < right ? -1 : 1)))
      : child,
  );
}

function sha256(value: string): string {
  return createHash("sha256").update(value).digest("hex");
}
