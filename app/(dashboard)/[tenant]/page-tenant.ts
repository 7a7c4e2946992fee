import { notFound } from "next/navigation";
import { cache } from "react";
import type { Tenant } from "#components/kit/member.tsx";
import { pageContext } from "#lib/auth/page-context.ts";
import { ApiError } from "#lib/errors.ts";
import { getMeContract } from "#lib/tenants/contract.ts";
import { getMe } from "#lib/tenants/get-me.ts";

/** The page's tenant. Its name isn't worth failing for: without the database, the ID stands in. */
export const pageTenant = cache(async (tenantId: string): Promise<Tenant> => {
  const ctx = await pageContext(tenantId, getMeContract);
  try {
    const { tenant_name } = await getMe(ctx);
    return { id: tenantId, name: tenant_name };
  } catch (error) {
    if (error instanceof ApiError && error.code === "tenant_forbidden") notFound();
    return { id: tenantId, name: tenantId };
  }
});
