"use client";

import { useQuery } from "@tanstack/react-query";
import { Card } from "#components/kit/card.tsx";
import { PartSkeleton } from "#components/kit/list-skeleton.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { ProblemNotice } from "#components/kit/problem-notice.tsx";
import { BarChart } from "#components/ui/bar-chart.tsx";
import { formatShortDay } from "#components/ui/moment.ts";
import { barsOf, shortName } from "../time-to-breach.ts";
import { daysOf, reportPeriod } from "./report-period.ts";
import { breachesPerDay, timeToBreach } from "./sla-queries.ts";

/** The height of a chart and the link to its table, so that nothing below moves. */
const CHART_BARS = ["h-47.5 w-full", "h-11.25 w-40"];
const RISK_FILL = "fill-risk-rail";

/** The tenant's open exceptions by time to breach, and its breaches in the last 30 days. */
export function RiskCharts({ asOf }: { asOf: string }) {
  return (
    <div className="grid gap-3 @4xl:grid-cols-2">
      <Card
        title="Open exceptions by time to breach"
        hint="All open exceptions, regardless of filters"
      >
        <TimeToBreach />
      </Card>
      <Card title="Breaches per day" hint="The last 30 days, UTC">
        <Breaches asOf={asOf} />
      </Card>
    </div>
  );
}

function TimeToBreach() {
  const { data, error, refetch } = useQuery(timeToBreach(useTenantId()));
  if (!data)
    return error ? (
      <ProblemNotice error={error} onRetry={() => refetch()} />
    ) : (
      <PartSkeleton label="Loading the counts" bars={CHART_BARS} />
    );
  return (
    <BarChart
      label="Open exceptions by time to breach"
      keyName="Time to breach"
      valueName="Open"
      data={barsOf(data.buckets)}
      fill={RISK_FILL}
      tick={shortName}
    />
  );
}

function Breaches({ asOf }: { asOf: string }) {
  const period = reportPeriod(asOf);
  const { data, error, refetch } = useQuery(breachesPerDay(useTenantId(), period));
  if (!data)
    return error ? (
      <ProblemNotice error={error} onRetry={() => refetch()} />
    ) : (
      <PartSkeleton label="Loading the breaches" bars={CHART_BARS} />
    );
  const breached = new Map(data.rows.map((row) => [row.key, row.breached]));
  const days = daysOf(period).map((day) => ({
    name: formatShortDay(day, "UTC"),
    value: breached.get(day) ?? 0,
    risk: "breached",
  }));
  return (
    <BarChart
      label="Breaches per day"
      keyName="Day"
      valueName="Breached"
      data={days}
      fill={RISK_FILL}
    />
  );
}
