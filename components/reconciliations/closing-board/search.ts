import { parseAsBoolean, parseAsStringLiteral } from "nuqs/server";
import { parseAsMatching } from "#components/kit/search-params.ts";
import { PERIOD_STATES } from "#lib/matching/closing-board/contract.ts";

/**
 * The page's URL: the last month shown, the filters, and whether the next periods are being opened.
 */
export const boardSearch = {
  to: parseAsMatching(/^(19[7-9]\d|2\d{3})-(0[1-9]|1[0-2])$/),
  state: parseAsStringLiteral(PERIOD_STATES),
  overdue: parseAsBoolean,
  next: parseAsBoolean,
};
