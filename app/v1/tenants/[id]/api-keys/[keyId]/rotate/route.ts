import { rotateApiKeyContract } from "#lib/api-keys/contract.ts";
import { rotateApiKey } from "#lib/api-keys/rotate-api-key.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(rotateApiKeyContract, ({ ctx, params, body }) => rotateApiKey(ctx, params.keyId, body)),
);
