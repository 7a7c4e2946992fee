import {
  type inferParserType,
  parseAsBoolean,
  parseAsIsoDateTime,
  parseAsStringLiteral,
} from "nuqs/server";
import { parseAsId, parseAsMatching, queryOf } from "#components/kit/search-params.ts";

export const PERIODS = ["1h", "24h", "7d", "14d"] as const;
export type Period = (typeof PERIODS)[number];

const HOUR_MS = 3_600_000;
const LENGTH_MS: Record<Period, number> = {
  "1h": HOUR_MS,
  "24h": 24 * HOUR_MS,
  "7d": 7 * 24 * HOUR_MS,
  "14d": 14 * 24 * HOUR_MS,
};

const WORD = /^[a-zA-Z]{1,80}$/;

/**
 * The page's URL: which list, the query of GET /v1/requests with a period or a chosen range for its
 * times, and the open request.
 */
export const requestSearch = {
  view: parseAsStringLiteral(["requests", "deliveries"]).withDefault("requests"),
  status: parseAsStringLiteral(["failed", "refused", "2xx", "3xx", "4xx", "5xx"]),
  operation: parseAsMatching(WORD),
  credential: parseAsStringLiteral([
    "session",
    "token",
    "api_key",
    "publishable_key",
    "service_role",
  ]),
  api_key_id: parseAsId("key"),
  actor: parseAsMatching(/^(?=.*\S).{1,200}$/u),
  error_code: parseAsMatching(/^[a-z_]{1,40}$/),
  resource: parseAsMatching(/^[a-z]{3}_[0-9a-z]{20,40}$/),
  period: parseAsStringLiteral(PERIODS).withDefault("24h"),
  from: parseAsIsoDateTime,
  to: parseAsIsoDateTime,
  live: parseAsBoolean.withDefault(false),
  request: parseAsId("req"),
};

export type RequestSearch = inferParserType<typeof requestSearch>;

export const REQUEST_FILTERS = [
  "status",
  "operation",
  "credential",
  "api_key_id",
  "actor",
  "error_code",
  "resource",
  "from",
  "to",
] as const;

/**
 * The filters as a query of GET /v1/requests. `now`: when the page was opened, so that its key
 * stays the same.
 */
export function requestQuery(search: RequestSearch, now: number): Record<string, string> {
  const { status, operation, credential, api_key_id, actor, error_code, resource } = search;
  return queryOf({
    status,
    operation,
    credential,
    api_key_id,
    actor,
    error_code,
    resource,
    ...timesOf(search, now),
  });
}

/**
 * Rounded to the minute, so that the server's first paint and the browser compute the same times.
 */
function timesOf(
  { period, from, to }: RequestSearch,
  now: number,
): { since: string; until?: string } {
  if (from && to) return { since: from.toISOString(), until: to.toISOString() };
  return { since: new Date(Math.floor((now - LENGTH_MS[period]) / 60_000) * 60_000).toISOString() };
}

/** The meaning of a search text: an ID, an operation, an error code, or a person. */
export function filterOf(text: string): Partial<RequestSearch> | null {
  const found = text.trim();
  if (found === "") return null;
  if (/^req_[0-9a-z]{20,40}$/.test(found)) return { request: found };
  if (/^key_[0-9a-z]{20,40}$/.test(found)) return { api_key_id: found };
  if (/^[a-z]{3}_[0-9a-z]{20,40}$/.test(found)) return { resource: found };
  if (/^[a-z]+[A-Z][a-zA-Z]*$/.test(found)) return { operation: found };
  return { actor: found.includes(":") ? found : `user:${found}` };
}
