import {
  getApiKeyContract,
  revokeApiKeyContract,
  updateApiKeyContract,
} from "#lib/api-keys/contract.ts";
import { getApiKey } from "#lib/api-keys/get-api-key.ts";
import { revokeApiKey } from "#lib/api-keys/revoke-api-key.ts";
import { updateApiKey } from "#lib/api-keys/update-api-key.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(getApiKeyContract, ({ ctx, params }) => getApiKey(ctx, params.keyId)),
  endpoint(updateApiKeyContract, ({ ctx, params, body }) => updateApiKey(ctx, params.keyId, body)),
  endpoint(revokeApiKeyContract, ({ ctx, params, body }) => revokeApiKey(ctx, params.keyId, body)),
);
