import type { Metadata } from "next";
import { ImportPage } from "#components/exceptions/import/import-page.tsx";
import { RolePage } from "#components/kit/role-page.tsx";
import { requireMember } from "#lib/auth/page-context.ts";
import { importExceptionsContract } from "#lib/exceptions/import/contract.ts";

export const metadata: Metadata = { title: "Import exceptions" };

type Props = { params: Promise<{ tenant: string }> };

export default async function Page({ params }: Props) {
  await requireMember((await params).tenant);
  return (
    <RolePage
      access={importExceptionsContract.access}
      title="Import exceptions"
      refusal={{
        title: "Your role doesn't allow this",
        reason: "Importing requires the admin, analyst or lead role.",
        remedy: "Ask a tenant admin.",
      }}
    >
      <ImportPage />
    </RolePage>
  );
}
