import { redirect } from "next/navigation";
import { requireMember } from "#lib/auth/page-context.ts";

export default async function TenantPage({ params }: { params: Promise<{ tenant: string }> }) {
  const { tenant } = await params;
  await requireMember(tenant);
  redirect(`/${tenant}/exceptions`);
}
