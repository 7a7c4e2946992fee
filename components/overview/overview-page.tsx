"use client";

import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { Freshness } from "#components/kit/freshness.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { Page } from "#components/kit/page.tsx";
import { useIsAllowed } from "#components/kit/permissions.ts";
import { ProblemNotice } from "#components/kit/problem-notice.tsx";
import { RolePage } from "#components/kit/role-page.tsx";
import { startServerClock } from "#components/ui/server-clock.ts";
import { getOverviewContract, type Overview } from "#lib/overview/contract.ts";
import { needs } from "#lib/wire/access.ts";
import { ImportsCard, RunsCard } from "./activity-cards.tsx";
import { DaysCard, OutlookCard } from "./chart-cards.tsx";
import { MineCard, MoneyCard, NextCard, ReconciliationsCard } from "./exception-cards.tsx";
import { KeysCard, WebhooksCard } from "./integration-cards.tsx";
import { OverviewEmpty } from "./overview-empty.tsx";
import { OverviewSkeleton } from "./overview-skeleton.tsx";
import { overviewOf } from "./queries.ts";
import { RiskFigures } from "./risk-figures.tsx";

const REFUSAL = {
  title: "You have no role in this tenant",
  reason: "The overview shows the tenant's deadlines and money at risk, so it needs a role.",
  remedy: "Ask a tenant admin for a role.",
};

/** A tenant's home: the current risk, and recent activity. */
export function OverviewPage() {
  return (
    <RolePage access={getOverviewContract.access} title="Overview" refusal={REFUSAL}>
      <Live />
    </RolePage>
  );
}

function Live() {
  const { data, error, refetch } = useQuery(overviewOf(useTenantId()));
  const asOf = data?.as_of;
  useEffect(() => {
    if (asOf) startServerClock(asOf);
  }, [asOf]);
  return (
    <Page
      title="Overview"
      actions={data && <Freshness asOf={data.as_of} failing={error !== null} />}
    >
      {!data ? (
        error ? (
          <ProblemNotice error={error} onRetry={() => refetch()} />
        ) : (
          <OverviewSkeleton />
        )
      ) : isEmpty(data) ? (
        <OverviewEmpty />
      ) : (
        <Cards overview={data} />
      )}
    </Page>
  );
}

function Cards({ overview }: { overview: Overview }) {
  // Admins see the tenant's figures first, others their own.
  const admin = useIsAllowed(needs("read:api-keys"));
  const mine = <MineCard overview={overview} />;
  const next = <NextCard overview={overview} />;
  return (
    <div className="flex flex-col gap-4">
      <RiskFigures summary={overview.summary} />
      <div className="grid gap-4 @4xl:grid-cols-2">
        {admin ? next : mine}
        {admin ? mine : next}
        <OutlookCard overview={overview} />
        <DaysCard overview={overview} />
        <MoneyCard overview={overview} />
        <ReconciliationsCard overview={overview} />
        <ImportsCard overview={overview} />
        <RunsCard overview={overview} />
        {overview.keys && <KeysCard keys={overview.keys} asOf={overview.as_of} />}
        {overview.webhooks && <WebhooksCard webhooks={overview.webhooks} />}
      </div>
    </div>
  );
}

/** Whether nothing has happened in the tenant. */
function isEmpty({ summary, days, imports, runs, reconciliations }: Overview): boolean {
  const quiet = days.every(
    ({ breached_count, closed_count }) => breached_count + closed_count === 0,
  );
  return (
    summary.total_open === 0 && quiet && imports.length + runs.length + reconciliations.length === 0
  );
}
