import { resourceKey } from "#components/kit/query.ts";

/**
 * The cache key of a tenant's API keys. It is separate from the queries because every page loads
 * it, to reveal a new key.
 */
export const apiKeysKey = (tenant: string) => resourceKey(tenant, "api-keys");
