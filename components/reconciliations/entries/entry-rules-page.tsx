"use client";

import { useQuery } from "@tanstack/react-query";
import { PartSkeleton } from "#components/kit/list-skeleton.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { Page } from "#components/kit/page.tsx";
import { useIsAllowed } from "#components/kit/permissions.ts";
import { ProblemNotice } from "#components/kit/problem-notice.tsx";
import { ReadOnly } from "#components/kit/read-only.tsx";
import { putEntryRulesContract } from "#lib/entries/rules/contract.ts";
import { reconciliationById } from "../queries.ts";
import { EntryRulesEditor } from "./entry-rules-editor.tsx";
import { entryRulesOf } from "./queries.ts";

/** The accounts that a pair's closes post to, with a preview on any of its periods. */
export function EntryRulesPage({ id }: { id: string }) {
  const tenant = useTenantId();
  const mayWrite = useIsAllowed(putEntryRulesContract.access);
  const { data: reconciliation } = useQuery(reconciliationById(tenant, id));
  const { data, error, refetch } = useQuery({
    ...entryRulesOf(tenant, id),
    refetchOnWindowFocus: false,
  });
  return (
    <Page
      parent={{ name: reconciliation?.name ?? "Reconciliation", path: `reconciliations/${id}` }}
      title="Entry rules"
      actions={!mayWrite && <ReadOnly />}
    >
      {!data && error ? (
        <ProblemNotice error={error} onRetry={() => refetch()} />
      ) : data && reconciliation ? (
        <EntryRulesEditor
          key={data.etag}
          reconciliation={reconciliation}
          version={data}
          readOnly={!mayWrite}
        />
      ) : (
        <PartSkeleton
          label="Loading the entry rules"
          bars={["h-16 w-full", "h-16 w-full ", "h-16  w-full", "h-16 w-11/12"]}
        />
      )}
    </Page>
  );
}
