import { log } from "../runtime/log.ts";
import { ApiError, ERRORS } from "../wire/errors.ts";

/** RFC 9457. `type` is the code's page of the error catalogue. */
export function problemResponse(error: unknown, requestId: string, headers: Headers): Response {
  const problem = error instanceof ApiError ? error : unexpected(error);
  const { status, title } = ERRORS[problem.code];
  if (status >= 500) log.error({ request_id: requestId, err: problem.cause ?? problem }, problem.code);
  for (const [name, value] of Object.entries(problem.headers)) headers.set(name, value);
  headers.set("Content-Type", "application/problem+json");
  const body = {
    type: `${origin()}/docs/errors/${problem.code}`,
    title,
    status,
    detail: problem.message,
    code: problem.code,
    request_id: requestId,
    ...(problem.errors && { errors: problem.errors }),
  };
  return new Response(JSON.stringify(body), { status, headers });
}

function unexpected(cause: unknown): ApiError {
  return new ApiError("internal", "Something went wrong on our side. It was logged under this request ID.", { cause });
}

function origin(): string {
  return new URL(process.env.NEXTAUTH_URL ?? "http://localhost:3000").origin;
}
