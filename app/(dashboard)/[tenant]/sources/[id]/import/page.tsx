import type { Metadata } from "next";
import { Prefetched, prefetch } from "#app/prefetched.tsx";
import { RolePage } from "#components/kit/role-page.tsx";
import { ImportWizard } from "#components/sources/imports/import-wizard.tsx";
import { sourceById } from "#components/sources/queries.ts";
import { createImportContract } from "#lib/imports/contract.ts";
import { getSource } from "#lib/sources/get-source.ts";

export const metadata: Metadata = { title: "Import a file" };

type Props = { params: Promise<{ tenant: string; id: string }> };

export default async function Page({ params }: Props) {
  const { tenant, id } = await params;
  const source = prefetch(
    sourceById(tenant, id),
    ({ ctx, params: known }) => getSource(ctx, known.id),
    { required: true },
  );
  return (
    <Prefetched reads={[source]}>
      <RolePage
        access={createImportContract.access}
        title="Import a file"
        refusal={{
          title: "Your role doesn't allow this",
          reason: "Importing lines requires the admin or lead role.",
          remedy: "Ask a tenant admin.",
        }}
      >
        <ImportWizard sourceId={id} />
      </RolePage>
    </Prefetched>
  );
}
