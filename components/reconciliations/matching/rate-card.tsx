"use client";

import { useQuery } from "@tanstack/react-query";
import { Card } from "#components/kit/card.tsx";
import { PartSkeleton } from "#components/kit/list-skeleton.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { ProblemNotice } from "#components/kit/problem-notice.tsx";
import { Bars } from "#components/ui/bar-chart.tsx";
import { Disclosure } from "#components/ui/disclosure.tsx";
import { PrefetchLink } from "#components/ui/prefetch-link.tsx";
import type { Reconciliation } from "#lib/reconciliations/contract.ts";
import { periodOf } from "#lib/wire/period-name.ts";
import { matchedShare } from "../labels.tsx";
import { periodsOfPair } from "../queries.ts";
import { rateOf } from "./rates.ts";

const HEIGHT_PX = 190;
const SERIES = [{ key: "rate", name: "% matched", fill: "fill-accent" }];

/** The match rate of each period of the same two sources. */
export function RateCard({ reconciliation }: { reconciliation: Reconciliation }) {
  const { data, error, refetch } = useQuery(periodsOfPair(useTenantId(), reconciliation));
  const periods = (data?.items ?? []).toSorted((a, b) =>
    a.period_start.localeCompare(b.period_start),
  );
  const rated = periods.filter((period) => matchedShare(period) !== null);
  return (
    <Card title="Match rate over periods" hint="Lines matched, of all lines of both sources">
      {!data && error ? (
        <ProblemNotice error={error} onRetry={() => refetch()} />
      ) : !data ? (
        <PartSkeleton label="Loading the periods" bars={["h-44 w-full"]} />
      ) : rated.length < 2 ? (
        <p className="py-6 text-center text-sm text-muted">
          {rated[0]
            ? `${matchedShare(rated[0])} of ${periodOf(rated[0])} is matched. ` +
              "The next period with lines shows the trend."
            : "No period of these sources has lines yet."}
        </p>
      ) : (
        <Rates periods={periods} own={reconciliation.id} />
      )}
    </Card>
  );
}

function Rates({ periods, own }: { periods: readonly Reconciliation[]; own: string }) {
  const tenant = useTenantId();
  const data = periods.map((period) => ({ name: periodOf(period), rate: rateOf(period) }));
  const ends = [periods[0], periods.at(-1)].map(
    (period) => (period && matchedShare(period)) ?? "–",
  );
  return (
    <>
      <div className="h-47.5">
        <Bars
          label={
            `Match rate over ${periods.length} periods, from ${ends[0]} to ${ends[1]}. ` +
            "Use the arrow keys to read values, or see the table below."
          }
          data={data}
          series={SERIES}
          height={HEIGHT_PX}
        />
      </div>
      <Disclosure title="Show as table">
        <table aria-label="Match rate over periods" className="w-full text-sm tabular-nums">
          <thead className="text-muted">
            <tr className="border-b border-line">
              <th scope="col" className="py-1 text-left font-medium">
                Period
              </th>
              {["Matched", "Open", "Match rate"].map((name) => (
                <th key={name} scope="col" className="py-1 pl-3 text-right font-medium">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {periods.map((period) => (
              <tr key={period.id} className="border-b border-line">
                <th scope="row" className="py-1 text-left font-normal">
                  {period.id === own ? (
                    periodOf(period)
                  ) : (
                    <PrefetchLink
                      href={`/${tenant}/reconciliations/${period.id}`}
                      className="text-accent-text hover:underline"
                    >
                      {periodOf(period)}
                    </PrefetchLink>
                  )}
                </th>
                <td className="py-1 pl-3 text-right">
                  {period.matched_count.toLocaleString("en")}
                </td>
                <td className="py-1 pl-3 text-right">
                  {period.unmatched_count.toLocaleString("en")}
                </td>
                <td className="py-1 pl-3 text-right">{matchedShare(period) ?? "–"}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Disclosure>
    </>
  );
}
