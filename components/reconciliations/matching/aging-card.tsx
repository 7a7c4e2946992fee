"use client";

import { useQuery } from "@tanstack/react-query";
import { CircleCheck } from "lucide-react";
import { useState } from "react";
import { Card } from "#components/kit/card.tsx";
import { PartSkeleton } from "#components/kit/list-skeleton.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { ProblemNotice } from "#components/kit/problem-notice.tsx";
import { formatMoney } from "#components/ui/money.ts";
import { PrefetchLink } from "#components/ui/prefetch-link.tsx";
import { Segmented } from "#components/ui/segmented.tsx";
import type { Statement } from "#lib/matching/periods/contract.ts";
import { daysBefore, periodLines } from "../period-lines.ts";
import { statementOf } from "../queries.ts";
import { agesByKind, agesOf } from "./ages.ts";
import { Bar } from "./bar.tsx";

/** The open amounts at the end of the period, by age. */
export function AgingCard({ id }: { id: string }) {
  const { data, error, refetch } = useQuery(statementOf(useTenantId(), id));
  return (
    <Card title="Open money by age" hint="Days from the value date to the end of the period">
      {!data && error ? (
        <ProblemNotice error={error} onRetry={() => refetch()} />
      ) : !data ? (
        <PartSkeleton
          label="Loading the open lines by age"
          bars={["h-5 w-full", "h-5 w-11/12", "h-5 w-10/12", "h-5 w-9/12", "h-5 w-8/12"]}
        />
      ) : data.outstanding_count === 0 ? (
        <p className="flex items-center justify-center gap-2 py-6 text-sm text-muted">
          <CircleCheck aria-hidden className="size-4" />
          Nothing is open.
        </p>
      ) : (
        <Aging statement={data} />
      )}
    </Card>
  );
}

const NUMBER = "py-1.5 pl-2 text-right tabular-nums wrap-anywhere sm:pl-4";

export function Aging({ statement }: { statement: Statement }) {
  const { reconciliation_id, period_end, aging, left_source, right_source } = statement;
  const tenant = useTenantId();
  const currencies = [...new Set(aging.map(({ currency }) => currency))].sort();
  const [chosen, setChosen] = useState(currencies[0] ?? "");
  const currency = currencies.includes(chosen) ? chosen : (currencies[0] ?? "");
  const ages = agesOf(aging, currency);
  const kinds = agesByKind(statement, currency);
  const max = Math.max(
    1,
    ...ages.flatMap(({ left, right }) => [Math.abs(left.minor), Math.abs(right.minor)]),
  );
  return (
    <>
      {currencies.length > 1 && (
        <Segmented
          label="Currency"
          value={currency}
          options={currencies.map((value) => ({ value, label: value }))}
          onChange={setChosen}
        />
      )}
      <div>
        <table className="w-full table-fixed text-sm">
          <caption className="sr-only">Open money by age, {currency}</caption>
          <thead className="text-xs text-muted">
            <tr className="border-b border-line align-bottom">
              <th scope="col" className="w-20 py-1.5 text-left font-medium sm:w-28">
                Days
              </th>
              {[left_source, right_source].map((name, side) => (
                <th
                  key={side === 0 ? "left" : "right"}
                  scope="col"
                  className="py-1.5 pl-2 text-right font-medium sm:pl-4"
                >
                  <span className="line-clamp-2 wrap-anywhere">{name}</span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {ages.map(({ name, from, to, left, right }) => (
              <tr
                key={from}
                data-risk={riskOf(from)}
                className="border-b border-line last:border-0"
              >
                <th
                  scope="row"
                  className="py-1.5 text-left font-normal whitespace-nowrap text-muted tabular-nums"
                >
                  {name}
                </th>
                {[left, right].map(({ minor, lines }, side) => (
                  <td key={side === 0 ? "left" : "right"} className={NUMBER}>
                    {lines === 0 ? (
                      <span className="text-muted">–</span>
                    ) : (
                      <>
                        <PrefetchLink
                          href={periodLines(tenant, reconciliation_id, {
                            state: "outstanding",
                            side: side === 0 ? "left" : "right",
                            currency,
                            ...(to !== null && { date_from: daysBefore(period_end, to) }),
                            date_to: daysBefore(period_end, from),
                          })}
                          className="text-accent-text hover:underline"
                        >
                          {formatMoney(minor, currency)}
                        </PrefetchLink>{" "}
                        <span className="text-muted">· {lines.toLocaleString("en")}</span>
                        <KindHint
                          kinds={kinds}
                          from={from}
                          side={side === 0 ? "left" : "right"}
                          currency={currency}
                        />
                        <Bar
                          from={0}
                          to={Math.abs(minor) / max}
                          fill="fill-risk-rail"
                          className="mt-1 h-1.5"
                        />
                      </>
                    )}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

/** Receipts and payments of a band that has both, which can cancel each other out in its sum. */
function KindHint({
  kinds,
  from,
  side,
  currency,
}: {
  kinds: ReturnType<typeof agesByKind>;
  from: number;
  side: "left" | "right";
  currency: string;
}) {
  const parts = kinds.flatMap(({ kind, ages }) =>
    ages
      .filter((age) => kind !== null && age.from === from && age[side].lines > 0)
      .map((age) => `${formatMoney(age[side].minor, currency)} in ${kind}s`),
  );
  if (parts.length < 2) return null;
  return <span className="block text-xs text-muted">{parts.join(", ")}</span>;
}

/** The older the amount, the higher the risk. */
function riskOf(days: number): string {
  if (days >= 61) return "breached";
  if (days >= 31) return "high";
  return days >= 8 ? "medium" : "low";
}
