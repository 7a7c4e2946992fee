import { log } from "../runtime/log.ts";
import { CONFLICTS } from "../wire/conflicts.ts";
import { ApiError, ERRORS, type ErrorCode, internalError } from "../wire/errors.ts";

type Problem = { code: ErrorCode; status: number; body: string };

/** An error as a problem response (RFC 9457). `onWritten` receives the problem as sent. */
export function problemResponse(
  error: unknown,
  requestId: string,
  headers: Headers,
  onWritten?: (problem: Problem) => void,
): Response {
  const problem = error instanceof ApiError ? error : internalError(error);
  const { status, title } = ERRORS[problem.code];
  if (status >= 500)
    log.error({ request_id: requestId, err: problem.cause ?? problem }, problem.code);
  const conflict = problem.reason && CONFLICTS[problem.reason];
  if (conflict?.retryAfterSeconds) headers.set("Retry-After", String(conflict.retryAfterSeconds));
  for (const [name, value] of Object.entries(problem.headers)) headers.set(name, value);
  headers.set("Content-Type", "application/problem+json");
  const body = JSON.stringify({
    // The page of this error in the catalogue.
    type: `${origin()}/docs/errors/${problem.code}`,
    title,
    status,
    detail: problem.message,
    code: problem.code,
    request_id: requestId,
    ...(problem.errors && { errors: problem.errors }),
    ...(conflict && { reason: problem.reason, retryable: conflict.retryAfterSeconds !== null }),
  });
  onWritten?.({ code: problem.code, status, body });
  return new Response(body, { status, headers });
}

function origin(): string {
  return new URL(process.env.NEXTAUTH_URL ?? "http://localhost:3000").origin;
}
