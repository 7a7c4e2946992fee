import { type inferParserType, parseAsBoolean, parseAsStringLiteral } from "nuqs/server";
import { parseAsDay } from "#components/kit/search-params.ts";
import { RECONCILIATION_STATUSES } from "#lib/reconciliations/contract.ts";

/** The page's URL: the filters of GET /v1/reconciliations, and whether one is being created. */
export const reconciliationSearch = {
  status: parseAsStringLiteral(RECONCILIATION_STATUSES),
  period_from: parseAsDay,
  period_to: parseAsDay,
  new: parseAsBoolean,
};

export type ReconciliationSearch = inferParserType<typeof reconciliationSearch>;
