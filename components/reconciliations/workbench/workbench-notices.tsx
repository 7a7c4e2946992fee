"use client";

import { useQuery } from "@tanstack/react-query";
import { BadgeCheck, Hourglass, LockKeyhole, Scale, SearchX } from "lucide-react";
import type { ReactNode } from "react";
import { useTenantId } from "#components/kit/member.tsx";
import { Button, buttonClass } from "#components/ui/button.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { PrefetchLink } from "#components/ui/prefetch-link.tsx";
import type { Reconciliation } from "#lib/reconciliations/contract.ts";
import { ProofBadge } from "../matching/proof-card.tsx";
import { proofOf } from "../queries.ts";

/** Shown if nothing in a period can be decided, because it is closed or being closed. */
export function PeriodLocked({
  reconciliation: { id, closed_at },
}: {
  reconciliation: Reconciliation;
}) {
  return closed_at ? (
    <Notice icon={LockKeyhole} title="This period is closed" action={<Back id={id} />}>
      Its matches can't be changed. Reopen it to decide again.
    </Notice>
  ) : (
    <Notice icon={Hourglass} title="This period is being closed" action={<Back id={id} />}>
      With this many lines it takes a moment. Until it's done, nothing in it can be decided.
    </Notice>
  );
}

/** Shown if a period has nothing to decide. */
export function NothingToDecide({
  reconciliation: { id, preparing, matched_count },
}: {
  reconciliation: Reconciliation;
}) {
  const back = <Back id={id} />;
  if (preparing)
    return (
      <Notice icon={Hourglass} title="Preparing lines…" action={back}>
        The sources have many, and they are still coming in. What the rules leave open appears here.
      </Notice>
    );
  return matched_count === 0 ? (
    <Notice icon={Scale} title="No lines yet" action={back}>
      Import lines into both sources. What the rules leave open appears here.
    </Notice>
  ) : (
    <TiedOut id={id} action={back} />
  );
}

function Back({ id }: { id: string }) {
  return (
    <PrefetchLink
      href={`/${useTenantId()}/reconciliations/${id}`}
      className={buttonClass({ variant: "primary" })}
    >
      Go to the period
    </PrefetchLink>
  );
}

function TiedOut({ id, action }: { id: string; action: ReactNode }) {
  const { data: proof } = useQuery(proofOf(useTenantId(), id));
  return (
    <Notice icon={BadgeCheck} title="Tied out" action={action}>
      <span className="flex flex-col items-center gap-2">
        Every line of both sides is accounted for.
        {proof && <ProofBadge proof={proof} />}
      </span>
    </Notice>
  );
}

/** Shown instead of one side's rows. */
export function EmptySide({ filtered, onClear }: { filtered: boolean; onClear: () => void }) {
  return (
    <div className="flex flex-1 flex-col items-center justify-center gap-3 p-6 text-center text-sm text-muted">
      {filtered ? (
        <SearchX aria-hidden className="size-5" />
      ) : (
        <BadgeCheck aria-hidden className="size-5" />
      )}
      <p>{filtered ? "No open line matches." : "Nothing is open on this side."}</p>
      {filtered && (
        <Button size="sm" onClick={onClear}>
          Clear filters
        </Button>
      )}
    </div>
  );
}
