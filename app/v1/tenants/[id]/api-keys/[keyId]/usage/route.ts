import { getApiKeyUsageContract } from "#lib/api-keys/contract.ts";
import { getApiKeyUsage } from "#lib/api-keys/get-api-key-usage.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(getApiKeyUsageContract, ({ ctx, params }) => getApiKeyUsage(ctx, params.keyId)),
);
