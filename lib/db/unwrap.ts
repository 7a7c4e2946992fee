import { type ConflictReason, isConflictReason } from "../wire/conflicts.ts";
import {
  ApiError,
  ERRORS,
  type ErrorCode,
  type FieldError,
  internalError,
} from "../wire/errors.ts";
import { SQLSTATES } from "./sqlstates.ts";

export type DatabaseResponse = {
  data: unknown;
  error: { code?: string; message: string; details?: string | null; hint?: string | null } | null;
  status: number;
};

/**
 * Transient errors: the server is starting, stopping, full, read-only, out of connections, or gave
 * up waiting.
 */
const UNAVAILABLE = /^(08|53|57P|58|25006|40001|40P01|55P03|PGRST00)/;

/**
 * The only place that turns a database error into an ApiError. Unknown errors become `internal`:
 * their cause is logged, not sent.
 */
export function unwrap({ data, error, status }: DatabaseResponse): unknown {
  if (!error) return data;
  if (error.code === SQLSTATES.refused && error.message in ERRORS) {
    const headers: Record<string, string> =
      error.message === "rate_limited" ? { "Retry-After": "60" } : {};
    throw new ApiError(error.message as ErrorCode, error.details ?? "", {
      ...fromHint(error.hint),
      headers,
      cause: error,
    });
  }
  if (error.code === "42501") {
    throw new ApiError("role_required", "This credential isn't allowed to do this.", {
      cause: error,
    });
  }
  if (error.code === SQLSTATES.canceled) {
    throw new ApiError(
      "unavailable",
      "This took the database too long. Try again; a list or search takes less time with more " +
        "filters and longer words.",
      {
        headers: { "Retry-After": "2" },
        cause: error,
      },
    );
  }
  if (!error.code || status === 0 || status >= 502 || UNAVAILABLE.test(error.code)) {
    throw new ApiError("unavailable", "The database is unavailable right now. Try again shortly.", {
      headers: { "Retry-After": "2" },
      cause: error,
    });
  }
  throw internalError(withoutRow(error));
}

/** The details of a violated constraint contain the row, which must not be logged. */
function withoutRow(error: NonNullable<DatabaseResponse["error"]>): object {
  return error.code?.startsWith("23") ? { ...error, details: null } : error;
}

/** The invalid fields, or the reason of a conflict with its fields. */
function fromHint(hint: string | null | undefined): {
  errors?: FieldError[];
  reason?: ConflictReason;
} {
  if (!hint) return {};
  const parsed = JSON.parse(hint) as
    | FieldError[]
    | { reason: unknown; errors: FieldError[] | null };
  if (Array.isArray(parsed)) return { errors: parsed };
  const { reason, errors } = parsed;
  return { ...(errors && { errors }), ...(isConflictReason(reason) && { reason }) };
}
