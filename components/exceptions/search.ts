import { type inferParserType, parseAsBoolean, parseAsString, parseAsStringLiteral } from "nuqs/server";
import { parseAsId, parseAsMatching } from "#components/kit/search-params.ts";
import { OPEN_STATUSES, SEVERITIES, SLA_SORTS } from "#lib/exceptions/contract.ts";
import { BREACH_RISKS } from "#lib/wire/facts.gen.ts";
import { USER_REFERENCE } from "#lib/wire/schema.ts";

/** The board's URL: the query of GET /v1/exceptions/sla and the open exception. */
export const boardSearch = {
  breach_risk: parseAsStringLiteral([...BREACH_RISKS, "at_risk"]),
  severity: parseAsStringLiteral(SEVERITIES),
  assigned_to: parseAsMatching(USER_REFERENCE),
  status: parseAsStringLiteral(OPEN_STATUSES),
  q: parseAsString,
  sortBy: parseAsStringLiteral(SLA_SORTS).withDefault("due_at"),
  charts: parseAsBoolean.withDefault(false),
  exception: parseAsId("exc"),
};

export type BoardSearch = inferParserType<typeof boardSearch>;
