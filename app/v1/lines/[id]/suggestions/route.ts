import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";
import { listLineSuggestionsContract } from "#lib/matching/lines/contract.ts";
import { listLineSuggestions } from "#lib/matching/lines/list-line-suggestions.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(listLineSuggestionsContract, ({ ctx, params, query }) =>
    listLineSuggestions(ctx, params.id, query),
  ),
);
