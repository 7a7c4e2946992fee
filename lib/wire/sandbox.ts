const SUFFIX = ".sandbox";

/** Whether an ID is a sandbox's: a live tenant's ID has no period. */
export function isSandbox(tenantId: string): boolean {
  return tenantId.endsWith(SUFFIX);
}

/** The live tenant that a sandbox belongs to; a live tenant is its own. */
export function liveTenantOf(tenantId: string): string {
  return isSandbox(tenantId) ? tenantId.slice(0, -SUFFIX.length) : tenantId;
}
