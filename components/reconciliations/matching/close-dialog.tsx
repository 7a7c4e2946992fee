"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { callApi } from "#components/api-client.ts";
import { FormDialog } from "#components/kit/form-dialog.tsx";
import { PartSkeleton } from "#components/kit/list-skeleton.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { ProblemNote } from "#components/kit/problem-note.tsx";
import { useForm } from "#components/kit/use-form.ts";
import { formatMoney } from "#components/ui/money.ts";
import { Note } from "#components/ui/note.tsx";
import { toast } from "#components/ui/toast.ts";
import { closeReconciliationContract, type Proof } from "#lib/matching/periods/contract.ts";
import type { Reconciliation } from "#lib/reconciliations/contract.ts";
import { proofOf, reconciliationById, reconciliationsKey, rulesOf } from "../queries.ts";
import { ProofBadge } from "./proof-card.tsx";

/** Closes a period, after showing what will be frozen and carried forward. */
export function CloseDialog({
  reconciliation,
  onClose,
}: {
  reconciliation: Reconciliation;
  onClose: () => void;
}) {
  const { id, name, unmatched_count } = reconciliation;
  const tenant = useTenantId();
  const cache = useQueryClient();
  const { data: proof, error } = useQuery(proofOf(tenant, id));
  const { data: rules } = useQuery(rulesOf(tenant, id));
  const form = useForm({
    initial: {},
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
          <Carried proof={proof} count={unmatched_count} />
          {rules?.data.four_eyes && (
            <Note tone="info">
              A second person has to close this period: not one who matched by hand, wrote off,
              excluded or undid in it.
            </Note>
          )}
        </div>
      )}
    </FormDialog>
  );
}

function Carried({ proof, count }: { proof: Proof; count: number }) {
  if (count === 0) return <p>Every line is matched or excluded. Nothing is carried forward.</p>;
  const open = proof.items.filter((item) => Number(item.open) !== 0);
  return (
    <div className="flex flex-col gap-2">
      <p>
        {count === 1 ? "1 open line is" : `${count.toLocaleString("en")} open lines are`} carried
        into the next period. Suggestions that nobody confirmed are discarded.
      </p>
      <ul className="flex flex-col gap-1 text-muted tabular-nums">
        {open.map(({ currency, side, open: minor }) => (
          <li key={`${currency} ${side}`}>
            {side === "left" ? "Left" : "Right"}: {formatMoney(minor, currency)}
          </li>
        ))}
      </ul>
    </div>
  );
}
