import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";
import { sampleSuggestionsContract } from "#lib/matching/bands/contract.ts";
import { sampleSuggestions } from "#lib/matching/bands/sample-suggestions.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(sampleSuggestionsContract, ({ ctx, params, query }) =>
    sampleSuggestions(ctx, params.id, query),
  ),
);
