"use client";

import { useQuery } from "@tanstack/react-query";
import { roleNames, type Tenant } from "#components/shell/member.ts";
import { PageHeader } from "#components/shell/page-header.tsx";
import { ProblemNotice } from "#components/ui/problem-notice.tsx";
import { Time } from "#components/ui/time.tsx";
import { putSlaPolicyContract } from "#lib/exceptions/sla/contract.ts";
import { allows, type Role } from "#lib/wire/access.ts";
import { PolicyForm } from "./policy-form.tsx";
import { PolicySkeleton } from "./policy-skeleton.tsx";
import { PolicyView } from "./policy-view.tsx";
import { slaPolicyQuery } from "./queries.ts";

export function SlaPolicyPage({ tenant, roles }: { tenant: Tenant; roles: readonly Role[] }) {
  const { data: stored, error, refetch } = useQuery(slaPolicyQuery(tenant.id));
  return (
    <>
      <PageHeader tenantName={tenant.name} title="SLA policy">
        {stored && (
          <p className="text-sm text-muted">
            Last changed <Time iso={stored.data.updated_at} /> by {stored.data.updated_by.replace(/^user:/, "")}
          </p>
        )}
      </PageHeader>
      <div className="px-4 pb-10 sm:px-6">
        {!stored ? (
          error ? (
            <ProblemNotice error={error} onRetry={() => refetch()} />
          ) : (
            <PolicySkeleton />
          )
        ) : allows(putSlaPolicyContract.access, { type: "user", roles }) ? (
          <PolicyForm tenantId={tenant.id} stored={stored} />
        ) : (
          <PolicyView policy={stored.data} roles={roleNames(roles)} />
        )}
      </div>
    </>
  );
}
