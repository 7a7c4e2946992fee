import { resourceKey } from "#components/kit/query.ts";

/** The cache key of a tenant's API keys. Separate from the queries because every page loads it, to reveal a key. */
export const apiKeysKey = (tenant: string) => resourceKey(tenant, "api-keys");
