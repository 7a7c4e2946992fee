import { createParser, createSerializer, type inferParserType, parseAsBoolean, parseAsStringLiteral } from "nuqs/server";
import { idPattern } from "#lib/wire/schema.ts";
import { dayOf, startOfDay } from "./day.ts";

export const PERIODS = ["today", "7d", "30d", "custom", "all"] as const;
export type Period = (typeof PERIODS)[number];

const DAYS_BEFORE: Partial<Record<Period, number>> = { today: 0, "7d": 6, "30d": 29 };

/** The address of the page: the names of the query of GET /v1/security-events, a period in place of times, and the event that is open. */
export const eventSearch = {
  type: parseAsMatching(/^[a-z_]+(\.[a-z_]+)*(\.\*)?$/),
  actor: parseAsMatching(/^(?=.*\S).{1,200}$/u),
  target: parseAsMatching(/^(?=.*\S).{1,200}$/u),
  across: parseAsBoolean.withDefault(false),
  period: parseAsStringLiteral(PERIODS).withDefault("7d"),
  from: parseAsMatching(/^\d{4}-\d{2}-\d{2}$/),
  to: parseAsMatching(/^\d{4}-\d{2}-\d{2}$/),
  event: parseAsMatching(idPattern("sev")),
};

export type EventSearch = inferParserType<typeof eventSearch>;

export const serializeEventSearch = createSerializer(eventSearch);

/** What takes every filter back, but the period. */
export const NO_FILTERS = { type: null, actor: null, target: null, across: false } as const;

/** The filters as a query of GET /v1/security-events; days are the reader's. */
export function eventQuery(search: EventSearch, timeZone: string, now: number): Record<string, string> {
  const given = { type: search.type, actor: search.actor, target: search.target, cross_tenant: search.across ? "true" : null };
  const filters = Object.entries({ ...given, ...timesOf(search, timeZone, now) });
  return Object.fromEntries(filters.filter((entry): entry is [string, string] => Boolean(entry[1])));
}

function timesOf({ period, from, to }: EventSearch, timeZone: string, now: number): { since?: string; until?: string } {
  const days = DAYS_BEFORE[period];
  if (days !== undefined) return { since: startOfDay(dayOf(now, timeZone), timeZone, -days) };
  if (period === "all") return {};
  return {
    ...(from && isDay(from) && { since: startOfDay(from, timeZone) }),
    ...(to && isDay(to) && { until: startOfDay(to, timeZone, 1) }),
  };
}

function isDay(text: string): boolean {
  const year = Number(text.slice(0, 4));
  return year >= 1970 && year < 3000 && !Number.isNaN(Date.parse(`${text}T00:00:00Z`));
}

function parseAsMatching(pattern: RegExp) {
  return createParser({ parse: (value) => (pattern.test(value) ? value : null), serialize: String });
}
