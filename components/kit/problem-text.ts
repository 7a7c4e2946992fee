import { ApiProblem } from "#components/api-client.ts";

/** An error as one line, with its request ID if the server caused it. */
export function problemText(error: Error): string {
  const requestId =
    error instanceof ApiProblem && error.errors.length === 0 ? error.requestId : null;
  return requestId ? `${error.message} Request ${requestId}.` : error.message;
}
