import { createParser, type inferParserType, parseAsBoolean, parseAsStringLiteral } from "nuqs/server";
import { RECONCILIATION_STATUSES } from "#lib/reconciliations/contract.ts";

const DAY = /^(?:19[7-9]|2\d\d)\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/;

const parseAsDay = createParser({
  parse: (value) => (DAY.test(value) && !Number.isNaN(Date.parse(value)) ? value : null),
  serialize: String,
});

/** The page's address: the filters of GET /v1/reconciliations, and whether a new one is being written. */
export const reconciliationSearch = {
  status: parseAsStringLiteral(RECONCILIATION_STATUSES),
  period_from: parseAsDay,
  period_to: parseAsDay,
  new: parseAsBoolean,
};

export type ReconciliationSearch = inferParserType<typeof reconciliationSearch>;

/** What takes every filter back. */
export const NO_FILTERS = { status: null, period_from: null, period_to: null } as const;
