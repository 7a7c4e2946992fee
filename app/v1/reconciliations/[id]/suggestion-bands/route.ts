import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";
import { listSuggestionBandsContract } from "#lib/matching/bands/contract.ts";
import { listSuggestionBands } from "#lib/matching/bands/list-suggestion-bands.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(listSuggestionBandsContract, ({ ctx, params }) => listSuggestionBands(ctx, params.id)),
);
