import type { Context } from "../request/context.ts";
import { ApiError } from "../wire/errors.ts";

/** @throws ApiError `tenant_forbidden` if the body names another tenant than the header. */
export function requireOwnTenant(ctx: Context, body: Record<string, unknown>): void {
  if (body.tenantId !== undefined && body.tenantId !== ctx.tenantId) {
    throw new ApiError("tenant_forbidden", "The tenantId in the body must match X-Tenant-Id.");
  }
}
