"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { callApi } from "#components/api-client.ts";
import { FormDialog } from "#components/kit/form-dialog.tsx";
import { PartSkeleton } from "#components/kit/list-skeleton.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { ProblemNote } from "#components/kit/problem-note.tsx";
import { useForm } from "#components/kit/use-form.ts";
import { CheckField } from "#components/ui/check-field.tsx";
import { formatShortDay } from "#components/ui/moment.ts";
import { formatMoney } from "#components/ui/money.ts";
import { Note } from "#components/ui/note.tsx";
import { pluralize } from "#components/ui/pluralize.ts";
import { toast } from "#components/ui/toast.ts";
import { closeReconciliationContract, type PeriodProof } from "#lib/matching/periods/contract.ts";
import type { Reconciliation } from "#lib/reconciliations/contract.ts";
import { proofOf, reconciliationById, reconciliationsKey } from "../queries.ts";
import { Checklist } from "../sign-off/checklist.tsx";
import { ProofBadge } from "./proof-card.tsx";

/** Closes a period, after showing what will be frozen and carried forward. */
export function CloseDialog({
  reconciliation,
  onClose,
}: {
  reconciliation: Reconciliation;
  onClose: () => void;
}) {
  const { id, name, period_end, unmatched_count } = reconciliation;
  const tenant = useTenantId();
  const cache = useQueryClient();
  const { data: proof, error } = useQuery(proofOf(tenant, id));
  const form = useForm({
    initial: { early: false },
    check: ({ early }): Record<string, string> =>
      proof && proof.days_until_over > 0 && !early
        ? { early: "Confirm that the period closes before its end." }
        : {},
    send: (_, idempotencyKey) =>
      callApi(closeReconciliationContract, { tenant, params: { id }, idempotencyKey }),
    onDone: (closed) => {
      cache.setQueryData(reconciliationById(tenant, id).queryKey, closed);
      cache.invalidateQueries({ queryKey: reconciliationsKey(tenant) });
      if (!closed.closing) toast(`Closed ${name}`);
      onClose();
    },
  });
  return (
    <FormDialog
      form={form}
      title={`Close ${name}?`}
      description="Closing locks this period: its matches and its statement can't be changed unless someone reopens it."
      start="Close period"
      pending="Closing…"
      onClose={onClose}
    >
      {error && !proof ? (
        <ProblemNote error={error} />
      ) : !proof ? (
        <PartSkeleton label="Adding up the proof" bars={["h-6 w-40", "h-5 w-full"]} />
      ) : (
        <div className="flex flex-col items-start gap-4 text-sm">
          <ProofBadge proof={proof} />
          {!proof.holds && (
            <Note tone="danger">
              A period closes only with a proof that holds. Contact support with the period's ID.
            </Note>
          )}
          {proof.days_until_over > 0 && (
            <>
              <Note tone="warning">{endsLater(period_end, proof.days_until_over)}</Note>
              <CheckField
                label="Close it before its end"
                name="early"
                checked={form.draft.early}
                error={form.problem("early")}
                onChange={({ target }) => form.change({ early: target.checked })}
              />
            </>
          )}
          <Carried proof={proof} count={unmatched_count} names={reconciliation} />
          <Checklist reconciliation={reconciliation} />
        </div>
      )}
    </FormDialog>
  );
}

/** "This period ends on 30 Nov, in 4 days." `until`: the days until it is over. */
function endsLater(periodEnd: string, until: number): string {
  const days = until - 1;
  const when = days === 0 ? "today" : days === 1 ? "tomorrow" : `in ${pluralize(days, "day")}`;
  return `This period ends on ${formatShortDay(periodEnd, "UTC")}, ${when}.`;
}

function Carried({
  proof,
  count,
  names,
}: {
  proof: PeriodProof;
  count: number;
  names: Pick<Reconciliation, "left_source" | "right_source">;
}) {
  if (count === 0) return <p>Every line is matched or excluded. Nothing is carried forward.</p>;
  const open = proof.items.filter((item) => Number(item.open) !== 0);
  const moving = movingOf(proof);
  return (
    <div className="flex flex-col gap-2">
      <p>
        {pluralize(count, "open line")} {count === 1 ? "is" : "are"} carried into the next period.
      </p>
      <ul className="flex flex-col gap-1 text-muted tabular-nums">
        {open.map(({ currency, side, open: minor }) => (
          <li key={`${currency} ${side}`}>
            {names[`${side}_source`]}: {formatMoney(minor, currency)}
          </li>
        ))}
      </ul>
      {moving && <p>{moving}</p>}
    </div>
  );
}

/** "4 unconfirmed suggestions and 3 exceptions move to the next period." */
function movingOf({ suggestions_count, open_exceptions }: PeriodProof): string | null {
  const total = suggestions_count + open_exceptions;
  if (total === 0) return null;
  const parts = [
    suggestions_count > 0 && pluralize(suggestions_count, "unconfirmed suggestion"),
    open_exceptions > 0 && pluralize(open_exceptions, "exception"),
  ].filter(Boolean);
  return `${parts.join(" and ")} ${total === 1 ? "moves" : "move"} to the next period.`;
}
