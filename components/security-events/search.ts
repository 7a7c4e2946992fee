import {
  type inferParserType,
  parseAsBoolean,
  parseAsString,
  parseAsStringLiteral,
} from "nuqs/server";
import { parseAsDay, parseAsId, parseAsMatching, queryOf } from "#components/kit/search-params.ts";
import { dayOf, startOfDay } from "./day.ts";

export const PERIODS = ["today", "7d", "30d", "custom", "all"] as const;
export type Period = (typeof PERIODS)[number];

const DAYS_BEFORE: Partial<Record<Period, number>> = { today: 0, "7d": 6, "30d": 29 };

/**
 * The page's URL: the query of GET /v1/security-events with a period instead of times, and the open
 * event.
 */
export const eventSearch = {
  type: parseAsMatching(/^[a-z_]+(\.[a-z_]+)*(\.\*)?$/),
  actor: parseAsMatching(/^(?=.*\S).{1,200}$/u),
  target: parseAsMatching(/^(?=.*\S).{1,200}$/u),
  q: parseAsString.withDefault(""),
  across: parseAsBoolean.withDefault(false),
  period: parseAsStringLiteral(PERIODS).withDefault("7d"),
  from: parseAsDay,
  to: parseAsDay,
  event: parseAsId("sev"),
};

export type EventSearch = inferParserType<typeof eventSearch>;

/** Clears every filter except the period. */
export const NO_FILTERS = { type: null, actor: null, target: null, q: "", across: false } as const;

/** Clears every filter. */
export const NO_LIMITS = { ...NO_FILTERS, period: "all", from: null, to: null } as const;

/** The filters as a query of GET /v1/security-events; days are the reader's. */
export function eventQuery(
  search: EventSearch,
  timeZone: string,
  now: number,
): Record<string, string> {
  const { type, actor, target, q, across } = search;
  return queryOf({
    type,
    actor,
    target,
    q: q.trim() || null,
    cross_tenant: across || null,
    ...timesOf(search, timeZone, now),
  });
}

function timesOf(
  { period, from, to }: EventSearch,
  timeZone: string,
  now: number,
): { since?: string; until?: string } {
  const days = DAYS_BEFORE[period];
  if (days !== undefined) return { since: startOfDay(dayOf(now, timeZone), timeZone, -days) };
  if (period === "all") return {};
  return {
    ...(from && { since: startOfDay(from, timeZone) }),
    ...(to && { until: startOfDay(to, timeZone, 1) }),
  };
}
