import { getEntryRulesContract, putEntryRulesContract } from "#lib/entries/rules/contract.ts";
import { getEntryRules } from "#lib/entries/rules/get-entry-rules.ts";
import { putEntryRules } from "#lib/entries/rules/put-entry-rules.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(getEntryRulesContract, ({ ctx, params }) => getEntryRules(ctx, params.id)),
  endpoint(putEntryRulesContract, ({ ctx, params, body }) => putEntryRules(ctx, params.id, body)),
);
