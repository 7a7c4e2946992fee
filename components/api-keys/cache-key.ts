import { resourceKey } from "#components/kit/query.ts";

/** Everything of a tenant's API keys. Apart from the queries: every page loads it, to reveal a key. */
export const apiKeysKey = (tenant: string) => resourceKey(tenant, "api-keys");
