import { estimateApiKeyImpactContract } from "#lib/api-keys/contract.ts";
import { estimateApiKeyImpact } from "#lib/api-keys/estimate-api-key-impact.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(estimateApiKeyImpactContract, ({ ctx, params, body }) =>
    estimateApiKeyImpact(ctx, params.keyId, body),
  ),
);
