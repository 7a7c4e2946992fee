import {
  type inferParserType,
  parseAsInteger,
  parseAsString,
  parseAsStringLiteral,
} from "nuqs/server";
import { parseAsDay, parseAsId } from "#components/kit/search-params.ts";
import { LINE_FILTER_STATES } from "#lib/lines/contract.ts";
import { CURRENCIES } from "#lib/wire/currencies.ts";

/** The page's URL: the query of GET /v1/lines and the open line. */
export const lineSearch = {
  source_id: parseAsId("src"),
  reconciliation_id: parseAsId("rcn"),
  side: parseAsStringLiteral(["left", "right"]),
  import_id: parseAsId("imp"),
  state: parseAsStringLiteral(LINE_FILTER_STATES),
  currency: parseAsStringLiteral(CURRENCIES),
  date_from: parseAsDay,
  date_to: parseAsDay,
  amount_from: parseAsInteger,
  amount_to: parseAsInteger,
  q: parseAsString.withDefault(""),
  line: parseAsId("lin"),
};

/** The filters of the list. A reconciliation isn't one, because it is the page's subject. */
export const LINE_FILTERS = [
  "source_id",
  "side",
  "import_id",
  "state",
  "currency",
  "date_from",
  "date_to",
  "amount_from",
  "amount_to",
  "q",
] as const;

export type LineSearch = inferParserType<typeof lineSearch>;
