import {
  createParser,
  type inferParserType,
  parseAsArrayOf,
  parseAsBoolean,
  parseAsInteger,
  parseAsString,
  parseAsStringLiteral,
} from "nuqs/server";
import { parseAsId, parseAsMatching, parseAsMoment } from "#components/kit/search-params.ts";
import { SEVERITIES, SLA_SORTS, STATUSES } from "#lib/exceptions/contract.ts";
import { ME, NONE } from "#lib/exceptions/filters/contract.ts";
import { FACET_STATES } from "#lib/exceptions/sla/contract.ts";
import { BREACH_RISKS, EXCEPTION_FACETS } from "#lib/wire/facts.gen.ts";
import { idPattern, USER_REFERENCE } from "#lib/wire/schema.ts";

const RISK_FILTERS = [...BREACH_RISKS, "at_risk"] as const;

const orNone = (pattern: RegExp) =>
  parseAsMatching(new RegExp(`^(?:${NONE})$|${pattern.source}`, "u"));
const assignee = createParser({
  parse: (text) => (text === NONE || text === ME || USER_REFERENCE.test(text) ? text : null),
  serialize: String,
});

/**
 * The state in the board's URL: what is listed, the API's filters (each with several values), and
 * the open exception.
 */
export const boardSearch = {
  state: parseAsStringLiteral(FACET_STATES).withDefault("open"),
  breach_risk: parseAsArrayOf(parseAsStringLiteral(RISK_FILTERS)),
  severity: parseAsArrayOf(parseAsStringLiteral(SEVERITIES)),
  assigned_to: parseAsArrayOf(assignee),
  status: parseAsArrayOf(parseAsStringLiteral(STATUSES)),
  reason_code: parseAsArrayOf(parseAsString),
  reconciliation_id: parseAsArrayOf(orNone(idPattern("rcn"))),
  currency: parseAsArrayOf(orNone(/^[A-Z]{3}$/)),
  amount_from: parseAsInteger,
  due_before: parseAsMoment,
  breached_from: parseAsMoment,
  breached_before: parseAsMoment,
  closed_from: parseAsMoment,
  closed_before: parseAsMoment,
  q: parseAsString,
  sortBy: parseAsStringLiteral(SLA_SORTS).withDefault("due_at"),
  /** Whether breached rows are listed with the rest; null: only if nothing else is open. */
  breached: parseAsBoolean,
  charts: parseAsBoolean.withDefault(false),
  exception: parseAsId("exc"),
  /** Whether one is being created. */
  new: parseAsBoolean.withDefault(false),
};

export type BoardSearch = inferParserType<typeof boardSearch>;

/** Times in the past, which views don't store. */
export const PAST_FILTERS = [
  "breached_from",
  "breached_before",
  "closed_from",
  "closed_before",
] as const;

/** All filters in the URL; those with counts first. */
export const FILTERS = [
  ...EXCEPTION_FACETS,
  "amount_from",
  "due_before",
  ...PAST_FILTERS,
  "q",
] as const;
