import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";
import { getRulesContract, putRulesContract } from "#lib/matching/rules/contract.ts";
import { getRules } from "#lib/matching/rules/get-rules.ts";
import { putRules } from "#lib/matching/rules/put-rules.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(getRulesContract, ({ ctx, params }) => getRules(ctx, params.id)),
  endpoint(putRulesContract, ({ ctx, params, body }) => putRules(ctx, params.id, body)),
);
