import { notFound } from "next/navigation";
import { cache } from "react";
import type { Tenant } from "#components/kit/member.tsx";
import { callAsMember, requireMember } from "#lib/auth/page-context.ts";
import { getMeContract } from "#lib/tenants/contract.ts";
import { getMe } from "#lib/tenants/get-me.ts";
import { ApiError } from "#lib/wire/errors.ts";

type PageTenant = { tenant: Tenant; sandboxId: string | null };

/**
 * The page's tenant. Without the database its ID is shown instead of its name, so that the page
 * doesn't fail.
 */
export const pageTenant = cache(async (tenantId: string): Promise<PageTenant> => {
  await requireMember(tenantId);
  try {
    const { data } = await callAsMember(tenantId, getMeContract, getMe);
    return {
      tenant: { id: tenantId, name: data.tenant_name ?? tenantId },
      sandboxId: data.sandbox_id,
    };
  } catch (error) {
    if (error instanceof ApiError && error.code === "tenant_forbidden") notFound();
    return { tenant: { id: tenantId, name: tenantId }, sandboxId: null };
  }
});
