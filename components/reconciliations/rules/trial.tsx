"use client";

import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { callApi } from "#components/api-client.ts";
import { useTenantId } from "#components/kit/member.tsx";
import { ProblemNote } from "#components/kit/problem-note.tsx";
import { useMutate } from "#components/kit/use-mutate.ts";
import { Disclosure } from "#components/ui/disclosure.tsx";
import { formatMoney } from "#components/ui/money.ts";
import { Note } from "#components/ui/note.tsx";
import { pluralize } from "#components/ui/pluralize.ts";
import { ProgressBar } from "#components/ui/progress-bar.tsx";
import { createRunContract, type Run } from "#lib/matching/runs/contract.ts";
import type { Reconciliation } from "#lib/reconciliations/contract.ts";
import { periodOf } from "#lib/wire/period-name.ts";
import { periodsOfPair, runById } from "../queries.ts";
import type { RulesDraft } from "./sentence.ts";
import { TrialSamples } from "./trial-samples.tsx";

const PAST_PERIODS = 3;

/**
 * The effect of a draft on this period and the last closed ones of the same sources: dry runs, one
 * after another.
 */
export function Trials({
  reconciliation,
  draft,
}: {
  reconciliation: Reconciliation;
  draft: RulesDraft;
}) {
  const { data, error } = useQuery(periodsOfPair(useTenantId(), reconciliation));
  const past = (data?.items ?? [])
    .filter(
      ({ id, status, closed_at }) =>
        id !== reconciliation.id && closed_at !== null && status !== "archived",
    )
    .sort((a, b) => b.period_end.localeCompare(a.period_end))
    .slice(0, PAST_PERIODS);
  return (
    <div className="flex flex-col gap-5 text-sm">
      {[reconciliation, ...past].map((period) => (
        <Trial key={period.id} period={period} draft={draft} />
      ))}
      {error && !data && <ProblemNote error={error} />}
    </div>
  );
}

function Trial({
  period,
  draft: { rules, fees, calendar_id },
}: {
  period: Reconciliation;
  draft: RulesDraft;
}) {
  const tenant = useTenantId();
  const [runId, setRunId] = useState<string | null>(null);
  const { data: run } = useQuery({ ...runById(tenant, runId ?? ""), enabled: runId !== null });
  const { start, error } = useMutate({
    send: (_: undefined, idempotencyKey) =>
      callApi(createRunContract, {
        tenant,
        params: { id: period.id },
        body: { dry_run: true, rules, fees, calendar_id },
        idempotencyKey,
      }),
    onDone: ({ id }) => setRunId(id),
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it is shown
  useEffect(() => start(undefined), []);
  return (
    <section aria-label={periodOf(period)} className="flex flex-col gap-2">
      <h3 className="font-semibold">
        {periodOf(period)}{" "}
        {period.closed_at && (
          <span className="font-normal text-muted">· closed, not run again</span>
        )}
      </h3>
      {error ? (
        <ProblemNote error={error} />
      ) : (
        <Outcome run={run} closed={period.closed_at !== null} />
      )}
    </section>
  );
}

function Outcome({ run, closed }: { run: Run | undefined; closed: boolean }) {
  if (run?.status === "failed") return <Note tone="danger">The dry run failed. {run.failure}</Note>;
  if (run?.status !== "done" || !run.impact) {
    return (
      <div className="flex flex-col gap-1.5">
        <span role="status">Trying the rules…</span>
        <ProgressBar
          label="Progress of the dry run"
          value={run?.lines_done ?? 0}
          max={Math.max(1, run?.lines_total ?? 1)}
        />
      </div>
    );
  }
  const { newly_matched, no_longer_matched, changed, exceptions, samples } = run.impact;
  const rows = [
    ["Newly matched", newly_matched],
    ["No longer matched", no_longer_matched],
    ["Matched differently", changed],
  ] as const;
  return (
    <>
      <table className="w-full">
        <caption className="sr-only">What would change</caption>
        <thead className="text-xs text-muted">
          <tr className="border-b border-line">
            <th scope="col" className="py-1.5 text-left font-medium">
              Change
            </th>
            <th scope="col" className="py-1.5 text-right font-medium">
              Matches
            </th>
            <th scope="col" className="py-1.5 text-right font-medium">
              Money
            </th>
          </tr>
        </thead>
        <tbody className="tabular-nums">
          {rows.map(([name, { matches, amounts }]) => (
            <tr key={name} className="border-b border-line last:border-0">
              <th scope="row" className="py-1.5 text-left font-normal">
                {name}
              </th>
              <td className="py-1.5 text-right">{matches.toLocaleString("en")}</td>
              <td className="py-1.5 text-right">
                {amounts.length === 0
                  ? "–"
                  : amounts
                      .map(({ currency, amount_minor }) => formatMoney(amount_minor, currency))
                      .join(", ")}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="text-muted">
        {describeExceptions(exceptions)} {pluralize(run.open_count, "line")}{" "}
        {closed ? "would have stayed" : "would stay"} open,{" "}
        {pluralize(run.suggested_count, "match", "matches")} suggested.
      </p>
      {samples.length > 0 && (
        <Disclosure
          title={
            samples.length === 1 ? "Show the match" : `Show ${samples.length} of these matches`
          }
        >
          <TrialSamples samples={samples} />
        </Disclosure>
      )}
      {!closed && no_longer_matched.matches > 0 && (
        <Note tone="warning">Matches that these rules no longer make are undone.</Note>
      )}
    </>
  );
}

function describeExceptions({ avoided, added }: NonNullable<Run["impact"]>["exceptions"]): string {
  if (avoided === 0 && added === 0) return "No change in exceptions.";
  const parts = [
    avoided > 0 && `${avoided.toLocaleString("en")} avoided`,
    added > 0 && `${added.toLocaleString("en")} added`,
  ];
  return `Exceptions: ${parts.filter(Boolean).join(", ")}.`;
}
