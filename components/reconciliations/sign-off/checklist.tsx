"use client";

import { useQuery } from "@tanstack/react-query";
import { CircleCheck, CircleX, TriangleAlert } from "lucide-react";
import { PartSkeleton } from "#components/kit/list-skeleton.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { ProblemNote } from "#components/kit/problem-note.tsx";
import { PrefetchLink } from "#components/ui/prefetch-link.tsx";
import type { PeriodCheck } from "#lib/matching/sign-off/contract.ts";
import type { Reconciliation } from "#lib/reconciliations/contract.ts";
import { checklistOf } from "../queries.ts";

const OUTCOMES = {
  pass: { icon: CircleCheck, tone: "good", label: "Passes" },
  warn: { icon: TriangleAlert, tone: "warning", label: "Warns" },
  block: { icon: CircleX, tone: "danger", label: "Blocks" },
} as const;

const CHECK_LABELS: Record<PeriodCheck["check"], string> = {
  period_over: "Period over",
  files: "Files in",
  balances: "Balances",
  suggestions: "Suggestions",
  exceptions: "Exceptions",
  difference: "Unexplained difference",
  evidence: "Required evidence",
  second_person: "Second person",
  signatures: "Review",
};

/** The checks before a close, each with a link to its rows. */
export function Checklist({ reconciliation }: { reconciliation: Reconciliation }) {
  const tenant = useTenantId();
  const { data, error } = useQuery(checklistOf(tenant, reconciliation.id));
  if (error && !data) return <ProblemNote error={error} />;
  if (!data)
    return (
      <PartSkeleton
        label="Checking the period"
        bars={["h-5 w-2/3", "h-5 w-3/4", "h-5 w-1/2", "h-5 w-2/3"]}
      />
    );
  const pages = pagesOf(tenant, reconciliation);
  return (
    <ul className="flex w-full flex-col text-sm" aria-label="Checks before a close">
      {data.items.map(({ check, outcome, detail }) => {
        const { icon: Icon, tone, label } = OUTCOMES[outcome];
        const page = pages[check];
        return (
          <li
            key={check}
            data-tone={tone}
            className="flex items-start gap-2 border-b border-line py-2 last:border-0"
          >
            <Icon aria-label={label} className="mt-0.5 size-4 shrink-0 text-tone-ink" />
            <span className="w-32 shrink-0 font-medium max-sm:hidden">{CHECK_LABELS[check]}</span>
            <span className="min-w-0 flex-1 text-muted wrap-anywhere">
              <span className="sr-only">{CHECK_LABELS[check]}: </span>
              {detail}
              {outcome !== "pass" && page && (
                <>
                  {" "}
                  <PrefetchLink
                    href={page.href}
                    className="text-accent-text underline underline-offset-2"
                  >
                    {page.label}
                  </PrefetchLink>
                </>
              )}
            </span>
          </li>
        );
      })}
    </ul>
  );
}

type CheckPage = { href: string; label: string };

/** The page on which each check can be resolved. */
function pagesOf(
  tenant: string,
  { id, left_source_id }: Reconciliation,
): Partial<Record<PeriodCheck["check"], CheckPage>> {
  const period = `/${tenant}/reconciliations/${id}`;
  return {
    files: { href: `/${tenant}/sources/${left_source_id}/import`, label: "Import a file" },
    balances: { href: `/${tenant}/sources/${left_source_id}`, label: "State a balance" },
    suggestions: { href: `${period}/workbench`, label: "Review them" },
    exceptions: {
      href: `/${tenant}/exceptions?reconciliation_id=${id}`,
      label: "View them",
    },
    difference: { href: `${period}/statement`, label: "View the statement" },
    evidence: { href: `${period}/matches?method=manual`, label: "View matches by hand" },
  };
}
