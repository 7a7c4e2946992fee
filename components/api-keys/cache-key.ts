/** Everything of a tenant's API keys, for invalidation. Apart from the queries: the shell of every page loads it. */
export const apiKeysKey = (tenant: string) => ["tenants", tenant, "api-keys"] as const;
