"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { type ReactNode, useState } from "react";
import { useTenantId } from "#components/kit/member.tsx";
import { ProblemNotice } from "#components/kit/problem-notice.tsx";
import { Button } from "#components/ui/button.tsx";
import { RelativeTime } from "#components/ui/relative-time.tsx";
import { Skeleton } from "#components/ui/skeleton.tsx";
import type { ApiKeyUsage } from "#lib/api-keys/contract.ts";
import { bucketsOf, PERIODS, type Period } from "./buckets.ts";
import { refusalLabel } from "./labels.ts";
import { apiKeyUsage } from "./queries.ts";
import { UsageChart } from "./usage-chart.tsx";
import { UsageTable } from "./usage-table.tsx";

const SHOWN_ADDRESSES = 10;

/** A key's usage: calls over time, addresses and refused calls. */
export function Usage({ keyId }: { keyId: string }) {
  const tenantId = useTenantId();
  const { data, error, refetch } = useQuery(apiKeyUsage(tenantId, keyId));
  return (
    <section
      aria-labelledby={`usage-of-${keyId}`}
      className="flex flex-col gap-5 border-t border-line pt-5"
    >
      <div className="flex items-center justify-between gap-2">
        <h3 id={`usage-of-${keyId}`} className="font-semibold">
          Usage
        </h3>
        <Link
          href={`/${tenantId}/requests?api_key_id=${keyId}&period=14d`}
          prefetch={false}
          className="text-sm text-accent-text hover:underline"
        >
          Show its requests
        </Link>
      </div>
      {data ? (
        <Figures usage={data} />
      ) : error ? (
        <ProblemNotice error={error} onRetry={() => refetch()} />
      ) : (
        <Skeleton className="h-40 w-full" />
      )}
    </section>
  );
}

function Figures({ usage }: { usage: ApiKeyUsage }) {
  const [period, setPeriod] = useState<Period>("hours");
  const [asTable, setAsTable] = useState(false);
  const refusals = Object.entries(usage.refusals).sort((left, right) => right[1] - left[1]);
  if (usage.days.length === 0 && usage.hours.length === 0)
    return <p className="text-sm text-muted">This key hasn't been used.</p>;
  const View = asTable ? UsageTable : UsageChart;
  return (
    <>
      <div className="flex flex-col gap-3">
        <div className="flex flex-wrap gap-2">
          {(["hours", "days"] as const).map((value) => (
            <Button
              key={value}
              size="sm"
              variant={value === period ? "selected" : "secondary"}
              aria-pressed={value === period}
              onClick={() => setPeriod(value)}
            >
              {PERIODS[value].name}
            </Button>
          ))}
          <Button
            size="sm"
            variant="ghost"
            className="ml-auto"
            onClick={() => setAsTable(!asTable)}
          >
            {asTable ? "Show as chart" : "Show as table"}
          </Button>
        </div>
        <View buckets={bucketsOf(usage, period)} period={period} />
      </div>
      {usage.addresses.length > 0 && (
        <Rows title="Addresses in the last 7 days" head={["Address", "Calls", "Last seen"]}>
          {usage.addresses.slice(0, SHOWN_ADDRESSES).map(({ address, calls, last_seen_at }) => (
            <tr key={address}>
              <th
                scope="row"
                className="py-0.5 pr-3 text-left font-mono text-xs font-normal break-all"
              >
                {address}
              </th>
              <td className="py-0.5 pr-3 text-right tabular-nums">{calls.toLocaleString("en")}</td>
              <td className="py-0.5 text-right whitespace-nowrap text-muted">
                <RelativeTime iso={last_seen_at} asOf={usage.as_of} />
              </td>
            </tr>
          ))}
          {usage.addresses.length > SHOWN_ADDRESSES && (
            <tr>
              <td colSpan={3} className="py-0.5 text-muted">
                and {usage.addresses.length - SHOWN_ADDRESSES} more
              </td>
            </tr>
          )}
        </Rows>
      )}
      {refusals.length > 0 && (
        <Rows title="Refused calls in the last 90 days" head={["Reason", "Calls"]}>
          {refusals.map(([reason, calls]) => (
            <tr key={reason}>
              <th scope="row" className="py-0.5 pr-3 text-left font-normal">
                {refusalLabel(reason)}
              </th>
              <td className="py-0.5 text-right tabular-nums">{calls.toLocaleString("en")}</td>
            </tr>
          ))}
        </Rows>
      )}
    </>
  );
}

function Rows({ title, head, children }: { title: string; head: string[]; children: ReactNode }) {
  return (
    <table className="w-full text-sm">
      <caption className="pb-1 text-left text-xs font-medium text-muted">{title}</caption>
      <thead className="sr-only">
        <tr>
          {head.map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}
