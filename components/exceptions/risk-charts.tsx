"use client";

import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useId } from "react";
import { ProblemNotice } from "#components/ui/problem-notice.tsx";
import { Skeleton } from "#components/ui/skeleton.tsx";
import type { SlaItem } from "#lib/exceptions/contract.ts";
import { BarChart } from "./bar-chart.tsx";
import { breachesQuery } from "./queries.ts";
import { daysOf, reportPeriod } from "./report-period.ts";
import { timeToBreach } from "./time-to-breach.ts";

/** The board's exceptions by time to breach, and the tenant's breaches of the last 30 days. */
export function RiskCharts({ tenantId, items, more, asOf }: { tenantId: string; items: SlaItem[]; more: boolean; asOf: string }) {
  const count = items.length.toLocaleString("en");
  return (
    <div className="grid gap-3 @4xl:grid-cols-2">
      <Card
        title="Open exceptions by time to breach"
        hint={more ? `The ${count} loaded; scroll down for more` : `All ${count} on the board`}
      >
        <BarChart
          label="Open exceptions by time to breach"
          keyName="Time to breach"
          valueName="Open"
          bars={timeToBreach(items, Date.parse(asOf))}
        />
      </Card>
      <Card title="Breaches per day" hint="The last 30 days, UTC">
        <Breaches tenantId={tenantId} asOf={asOf} />
      </Card>
    </div>
  );
}

function Breaches({ tenantId, asOf }: { tenantId: string; asOf: string }) {
  const period = reportPeriod(asOf);
  const { data, error, refetch } = useQuery(breachesQuery(tenantId, period));
  if (!data) return error ? <ProblemNotice error={error} onRetry={() => refetch()} /> : <Loading />;
  const breached = new Map(data.rows.map((row) => [row.key, row.breached]));
  const bars = daysOf(period).map((day) => ({ name: day, short: day.slice(5), value: breached.get(day) ?? 0, risk: "breached" as const }));
  return <BarChart label="Breaches per day" keyName="Day" valueName="Breached" bars={bars} />;
}

function Card({ title, hint, children }: { title: string; hint: string; children: ReactNode }) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="min-w-0 rounded-lg border border-line bg-raised p-4 shadow-raised">
      <h2 id={id} className="text-sm font-medium">
        {title}
      </h2>
      <p className="pb-3 text-xs text-muted">{hint}</p>
      {children}
    </section>
  );
}

function Loading() {
  return (
    <div role="status" aria-label="Loading the breaches">
      <Skeleton className="h-44 w-full" />
    </div>
  );
}
