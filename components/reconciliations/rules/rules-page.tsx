"use client";

import { useQuery } from "@tanstack/react-query";
import { PartSkeleton } from "#components/kit/list-skeleton.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { Page } from "#components/kit/page.tsx";
import { useIsAllowed } from "#components/kit/permissions.ts";
import { ProblemNotice } from "#components/kit/problem-notice.tsx";
import { ReadOnly } from "#components/kit/read-only.tsx";
import { putRulesContract } from "#lib/matching/rules/contract.ts";
import { runsOf } from "../matching/run-labels.ts";
import { reconciliationById, rulesOf, runsOfReconciliation } from "../queries.ts";
import { RulesEditor } from "./rules-editor.tsx";

/** The rules of a pair of sources: shown as sentences, ordered, and tried before they are saved. */
export function RulesPage({ id }: { id: string }) {
  const tenant = useTenantId();
  const mayWrite = useIsAllowed(putRulesContract.access);
  const { data: reconciliation } = useQuery(reconciliationById(tenant, id));
  const { data, error, refetch } = useQuery({
    ...rulesOf(tenant, id),
    refetchOnWindowFocus: false,
  });
  const runs = useQuery(runsOfReconciliation(tenant, id));
  return (
    <Page
      parent={{ name: reconciliation?.name ?? "Reconciliation", path: `reconciliations/${id}` }}
      title="Matching rules"
      actions={!mayWrite && <ReadOnly />}
    >
      {!data && error ? (
        <ProblemNotice error={error} onRetry={() => refetch()} />
      ) : data && reconciliation ? (
        <RulesEditor
          key={data.etag}
          reconciliation={reconciliation}
          version={data}
          run={runsOf(runs.data?.items ?? []).last ?? null}
          readOnly={!mayWrite}
        />
      ) : (
        <PartSkeleton
          label="Loading the rules"
          bars={["h-16 w-full", "h-16 w-full ", "h-16  w-full", "h-16 w-11/12"]}
        />
      )}
    </Page>
  );
}
