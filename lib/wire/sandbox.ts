const SUFFIX = ".sandbox";

/** Whether an ID is a sandbox's: a live tenant's ID has no period. */
export function isSandbox(tenantId: string): boolean {
  return tenantId.endsWith(SUFFIX);
}

/** The live tenant that a sandbox belongs to; for a live tenant, its own ID. */
export function liveTenantOf(tenantId: string): string {
  return isSandbox(tenantId) ? tenantId.slice(0, -SUFFIX.length) : tenantId;
}
