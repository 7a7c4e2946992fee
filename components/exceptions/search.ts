import { createParser, createSerializer, type inferParserType, parseAsBoolean, parseAsString, parseAsStringLiteral } from "nuqs/server";
import { OPEN_STATUSES, SEVERITIES, SLA_SORTS } from "#lib/exceptions/contract.ts";
import { BREACH_RISKS } from "#lib/wire/facts.gen.ts";
import { idPattern, USER_REFERENCE } from "#lib/wire/schema.ts";

/** The board's address: the same names as the query of GET /v1/exceptions/sla, and what is open beside the rows. */
export const boardSearch = {
  breach_risk: parseAsStringLiteral([...BREACH_RISKS, "at_risk"]),
  severity: parseAsStringLiteral(SEVERITIES),
  assigned_to: parseAsMatching(USER_REFERENCE),
  status: parseAsStringLiteral(OPEN_STATUSES),
  q: parseAsString,
  sortBy: parseAsStringLiteral(SLA_SORTS).withDefault("due_at"),
  charts: parseAsBoolean.withDefault(false),
  exception: parseAsMatching(idPattern("exc")),
};

export type BoardSearch = inferParserType<typeof boardSearch>;

export const serializeBoardSearch = createSerializer(boardSearch);

/** What takes every filter back. */
export const NO_FILTERS = { breach_risk: null, severity: null, assigned_to: null, status: null, q: null } as const;

function parseAsMatching(pattern: RegExp) {
  return createParser({ parse: (value) => (pattern.test(value) ? value : null), serialize: String });
}
