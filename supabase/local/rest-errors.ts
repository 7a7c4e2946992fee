/**
 * A Postgres error in the form that lite passes on verbatim, with the status PostgREST would give
 * it.
 */
export type RestError = { code: "PGRST"; message: string; detail: string };

type PostgresError = { code?: string; message: string; detail?: string; hint?: string };

const CONNECTION_LOST = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "CONNECT_TIMEOUT",
  "CONNECTION_CLOSED",
  "CONNECTION_DESTROYED",
  "CONNECTION_ENDED",
]);

/**
 * PostgREST's own table, most specific first:
 * https://docs.postgrest.org/en/stable/references/errors.html
 */
const STATUS: [prefix: string, status: number][] = [
  ["23503", 409],
  ["23505", 409],
  ["25006", 405],
  ["42883", 404],
  ["42P01", 404],
  ["42P17", 500],
  ["53400", 500],
  ["57P", 503],
  ["P0001", 400],
  ["08", 503],
  ["09", 500],
  ["0L", 403],
  ["0P", 403],
  ["25", 500],
  ["28", 403],
  ["2D", 500],
  ["38", 500],
  ["39", 500],
  ["3B", 500],
  ["40", 500],
  ["53", 503],
  ["54", 500],
  ["55", 500],
  ["57", 500],
  ["58", 500],
  ["F0", 500],
  ["HV", 500],
  ["P0", 500],
  ["XX", 500],
];

/** @returns undefined for errors that lite already answers as PostgREST does. */
export function restError(error: unknown): RestError | undefined {
  const { code, message, detail, hint } = error as PostgresError;
  if (code && CONNECTION_LOST.has(code)) {
    return answer(503, {
      code: "PGRST001",
      message: "Database client error. Retrying the connection.",
    });
  }
  if (code === "POOL_TIMEOUT") return answer(504, { code: "PGRST003", message });
  if (
    !code ||
    !/^[0-9A-Z]{5}$/.test(code) ||
    code === "42501" ||
    code === "PGRST" ||
    code.startsWith("PT")
  )
    return undefined;
  const status = STATUS.find(([prefix]) => code.startsWith(prefix))?.[1] ?? 400;
  return answer(status, { code, message, details: detail, hint });
}

function answer(
  status: number,
  body: { code: string; message: string; details?: string; hint?: string },
): RestError {
  return {
    code: "PGRST",
    message: JSON.stringify(body),
    detail: JSON.stringify({ status, headers: {} }),
  };
}
