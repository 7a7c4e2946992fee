"use client";

import { useQuery } from "@tanstack/react-query";
import { BadgeCheck, LockKeyhole } from "lucide-react";
import { useTenantId } from "#components/kit/member.tsx";
import { ActorName } from "#components/people/actor-name.tsx";
import type { Reconciliation } from "#lib/reconciliations/contract.ts";
import { proofOf } from "../queries.ts";

/** Shown if nothing is open and the proof holds, or if the period is closed. */
export function TiedOut({ reconciliation }: { reconciliation: Reconciliation }) {
  const { id, matched_count, unmatched_count, closing, closed_at, closed_by } = reconciliation;
  const { data: proof } = useQuery(proofOf(useTenantId(), id));
  if (closed_at) {
    return (
      <Banner icon={LockKeyhole} title="Closed">
        <ActorName iso={closed_at} actor={closed_by} />. This period is locked.
        {unmatched_count > 0 &&
          ` ${unmatched_count.toLocaleString("en")} open lines were carried forward.`}
      </Banner>
    );
  }
  if (closing || unmatched_count > 0 || matched_count === 0 || !proof?.holds) return null;
  return (
    <Banner icon={BadgeCheck} title="Tied out">
      Every line of both sides is accounted for, and the proof holds to the cent. The period can be
      closed.
    </Banner>
  );
}

function Banner({
  icon: Icon,
  title,
  children,
}: {
  icon: typeof BadgeCheck;
  title: string;
  children: React.ReactNode;
}) {
  return (
    <div
      data-tone="good"
      className="flex items-center gap-3 rounded-lg border border-tone-line bg-tone-soft px-4 py-3 text-tone-ink"
    >
      <Icon aria-hidden className="size-6 shrink-0" />
      <div className="min-w-0">
        <p className="text-lg font-semibold">{title}</p>
        <p className="text-sm">{children}</p>
      </div>
    </div>
  );
}
