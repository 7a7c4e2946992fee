import { keepPreviousData } from "@tanstack/react-query";
import { listQuery, resourceKey, singleQuery } from "#components/kit/query.ts";
import { queryOf } from "#components/kit/search-params.ts";
import {
  listSuggestionBandsContract,
  type SuggestionBand,
  sampleSuggestionsContract,
} from "#lib/matching/bands/contract.ts";
import { listMatchesContract } from "#lib/matching/contract.ts";
import { listLineSuggestionsContract } from "#lib/matching/lines/contract.ts";
import { listDecisionsContract, listOpenLinesContract } from "#lib/matching/workbench/contract.ts";
import type { WorkbenchSearch } from "./search.ts";

/** The first page loads quickly; later ones are larger, for fast scrolling. */
const PAGE_SIZE = 50;
const NEXT_PAGE_SIZE = 250;
const OTHERS_MS = 1000;
const LONGEST_SEARCH = 200;

export type Side = "left" | "right";

export const openLinesKey = (tenant: string) => resourceKey(tenant, "open-lines");
export const suggestionsKey = (tenant: string) => resourceKey(tenant, "suggestions");

export function openLinePages(
  tenant: string,
  id: string,
  side: Side,
  { q, sort, suggested, currency }: Omit<WorkbenchSearch, "line">,
) {
  return listQuery(
    {
      keyPrefix: openLinesKey(tenant),
      contract: listOpenLinesContract,
      call: {
        tenant,
        params: { id },
        query: queryOf({
          side,
          sort,
          suggested,
          currency,
          q: q?.trim().slice(0, LONGEST_SEARCH),
          limit: PAGE_SIZE,
        }),
      },
    },
    { next: { limit: String(NEXT_PAGE_SIZE) } },
  );
}

/** The last run's suggestions for a line. */
export function suggestedMatches(tenant: string, id: string, line_id: string) {
  return singleQuery(
    {
      keyPrefix: suggestionsKey(tenant),
      contract: listMatchesContract,
      call: { tenant, params: { id }, query: { state: "suggested", line_id, limit: "5" } },
    },
    { staleTime: 5000 },
  );
}

/** A period's suggestions by rule and score. */
export function suggestionBands(tenant: string, id: string) {
  return singleQuery(
    {
      keyPrefix: suggestionsKey(tenant),
      contract: listSuggestionBandsContract,
      call: { tenant, params: { id } },
    },
    { staleTime: 0 },
  );
}

/** The sample of a band that a person looks at before accepting all of it. */
export function suggestionSample(
  tenant: string,
  id: string,
  { method, score_from, score_below }: SuggestionBand,
) {
  return singleQuery(
    {
      keyPrefix: suggestionsKey(tenant),
      contract: sampleSuggestionsContract,
      call: { tenant, params: { id }, query: queryOf({ method, score_from, score_below }) },
    },
    { staleTime: 0 },
  );
}

/** Other candidates near the line, searched on demand. */
export function nearLines(tenant: string, reconciliation_id: string, line: string) {
  return singleQuery(
    {
      keyPrefix: suggestionsKey(tenant),
      contract: listLineSuggestionsContract,
      call: { tenant, params: { id: line }, query: { reconciliation_id } },
    },
    { staleTime: 5000 },
  );
}

/** The latest decisions, polled each second, so that others' decisions show at once. */
export function decisionsOf(tenant: string, id: string) {
  return singleQuery(
    {
      keyPrefix: resourceKey(tenant, "decisions"),
      contract: listDecisionsContract,
      call: { tenant, params: { id }, query: { limit: "20" } },
    },
    { refetchInterval: OTHERS_MS, placeholderData: keepPreviousData },
  );
}
