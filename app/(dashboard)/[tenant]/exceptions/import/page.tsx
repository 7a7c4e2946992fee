import type { Metadata } from "next";
import { ImportPage } from "#components/exceptions/import/import-page.tsx";
import { requireMember } from "#lib/auth/page-context.ts";
import { pageTenant } from "../../page-tenant.ts";

export const metadata: Metadata = { title: "Import exceptions" };

type Props = { params: Promise<{ tenant: string }> };

export default async function Page({ params }: Props) {
  const { tenant: tenantId } = await params;
  const { roles } = await requireMember(tenantId);
  return <ImportPage tenant={await pageTenant(tenantId)} roles={roles} />;
}
