"use client";

import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { callApi } from "#components/api-client.ts";
import { FormDialog } from "#components/kit/form-dialog.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { ProblemNote } from "#components/kit/problem-note.tsx";
import { useAttempt } from "#components/kit/use-attempt.ts";
import { useForm } from "#components/kit/use-form.ts";
import { formatMoney } from "#components/ui/money.ts";
import { Note } from "#components/ui/note.tsx";
import { ProgressBar } from "#components/ui/progress-bar.tsx";
import { toast } from "#components/ui/toast.ts";
import { putRulesContract } from "#lib/matching/rules/contract.ts";
import { createRunContract, type Run } from "#lib/matching/runs/contract.ts";
import { runById } from "../queries.ts";
import type { RulesDraft } from "./sentence.ts";

/** What the rules would do in this period, before they are saved. */
export function TryDialog({
  id,
  draft,
  etag,
  closed,
  onSaved,
  onClose,
}: {
  id: string;
  draft: RulesDraft;
  etag: string | null;
  closed: boolean;
  onSaved: () => void;
  onClose: () => void;
}) {
  const tenant = useTenantId();
  const run = useTrial(tenant);
  const trial = useAttempt({
    send: (_: undefined, idempotencyKey) =>
      callApi(createRunContract, { tenant, params: { id }, body: { dry_run: true, rules: draft.rules }, idempotencyKey }),
    onDone: ({ id: asked }) => run.begin(asked),
  });
  const form = useForm({
    initial: draft,
    send: (rules) => callApi(putRulesContract, { tenant, params: { id }, body: rules, ifMatch: etag }),
    onDone: ({ version }) => {
      toast(`Saved version ${version}. Open periods run again.`);
      onSaved();
    },
  });
  const { start } = trial;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it opens
  useEffect(() => {
    if (!closed) start(undefined);
  }, []);
  return (
    <FormDialog
      form={form}
      title="Save these rules?"
      description={
        closed
          ? "This period is closed: open periods of these sources run again."
          : "What they would change in this period. Nothing is kept until you save."
      }
      start="Save rules"
      pending="Saving…"
      onClose={onClose}
    >
      {closed ? null : trial.error ? <ProblemNote error={trial.error} /> : <Trial run={run.data} />}
    </FormDialog>
  );
}

function useTrial(tenant: string) {
  const [asked, begin] = useState<string | null>(null);
  const { data } = useQuery({ ...runById(tenant, asked ?? ""), enabled: asked !== null });
  return { data, begin };
}

function Trial({ run }: { run: Run | undefined }) {
  if (run?.status === "failed") return <Note tone="danger">The dry run failed. {run.failure}</Note>;
  if (run?.status !== "done" || !run.impact) {
    return (
      <div className="flex flex-col gap-1.5 text-sm">
        <span role="status">Trying the rules…</span>
        <ProgressBar label="Progress of the dry run" value={run?.lines_done ?? 0} max={Math.max(1, run?.lines_total ?? 1)} />
      </div>
    );
  }
  const { newly_matched, no_longer_matched, changed } = run.impact;
  const rows = [
    ["Newly matched", newly_matched],
    ["No longer matched", no_longer_matched],
    ["Matched differently", changed],
  ] as const;
  return (
    <div className="flex flex-col gap-3 text-sm">
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
                {amounts.length === 0 ? "–" : amounts.map(({ currency, amount_minor }) => formatMoney(amount_minor, currency)).join(", ")}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="text-muted">
        {run.open_count.toLocaleString("en")} lines would stay open, {run.suggested_count.toLocaleString("en")} matches would be suggested.
      </p>
      {no_longer_matched.matches > 0 && <Note tone="warning">Matches that these rules no longer make are undone.</Note>}
    </div>
  );
}
