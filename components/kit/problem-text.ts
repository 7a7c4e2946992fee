import { ApiProblem } from "#components/api-client.ts";

/** An error in a line, with the request to ask about where it was the server's. */
export function problemText(error: Error): string {
  const requestId = error instanceof ApiProblem && error.errors.length === 0 ? error.requestId : null;
  return requestId ? `${error.message} Request ${requestId}.` : error.message;
}
