import {
  type inferParserType,
  parseAsBoolean,
  parseAsInteger,
  parseAsString,
  parseAsStringLiteral,
} from "nuqs/server";
import { parseAsDay } from "#components/kit/search-params.ts";
import { MATCH_STATES, SHAPES } from "#lib/matching/contract.ts";

/** The page's URL: the query of GET /v1/reconciliations/{id}/matches. */
export const matchSearch = {
  state: parseAsStringLiteral(MATCH_STATES),
  method: parseAsString,
  shape: parseAsStringLiteral(SHAPES),
  missing_evidence: parseAsBoolean,
  date_from: parseAsDay,
  date_to: parseAsDay,
  amount_from: parseAsInteger,
  amount_to: parseAsInteger,
  q: parseAsString.withDefault(""),
};

export const MATCH_FILTERS = [
  "state",
  "method",
  "shape",
  "missing_evidence",
  "date_from",
  "date_to",
  "amount_from",
  "amount_to",
  "q",
] as const;

export type MatchSearch = inferParserType<typeof matchSearch>;
