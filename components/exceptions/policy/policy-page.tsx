"use client";

import { useQuery } from "@tanstack/react-query";
import { useTenantId } from "#components/kit/member.tsx";
import { Page } from "#components/kit/page.tsx";
import { useIsAllowed } from "#components/kit/permissions.ts";
import { ProblemNotice } from "#components/kit/problem-notice.tsx";
import { ActorName } from "#components/people/actor-name.tsx";
import { putSlaPolicyContract } from "#lib/exceptions/sla/contract.ts";
import { PolicyForm } from "./policy-form.tsx";
import { PolicySkeleton } from "./policy-skeleton.tsx";
import { PolicyView } from "./policy-view.tsx";
import { slaPolicy } from "./queries.ts";

export function PolicyPage() {
  const { data: stored, error, refetch } = useQuery(slaPolicy(useTenantId()));
  const mayChange = useIsAllowed(putSlaPolicyContract.access);
  return (
    <Page
      title="SLA policy"
      actions={
        stored && (
          <p className="text-sm text-muted">
            Last changed <ActorName iso={stored.data.updated_at} actor={stored.data.updated_by} />
          </p>
        )
      }
    >
      {!stored ? (
        error ? (
          <ProblemNotice error={error} onRetry={() => refetch()} />
        ) : (
          <PolicySkeleton />
        )
      ) : mayChange ? (
        <PolicyForm stored={stored} />
      ) : (
        <PolicyView policy={stored.data} />
      )}
    </Page>
  );
}
