import { createApiKeyContract, listApiKeysContract } from "#lib/api-keys/contract.ts";
import { createApiKey } from "#lib/api-keys/create-api-key.ts";
import { listApiKeys } from "#lib/api-keys/list-api-keys.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(listApiKeysContract, ({ ctx, query }) => listApiKeys(ctx, query)),
  endpoint(createApiKeyContract, ({ ctx, body }) => createApiKey(ctx, body)),
);
