"use client";

import { useQuery } from "@tanstack/react-query";
import { CircleCheck, CircleX, TriangleAlert } from "lucide-react";
import { Fragment } from "react";
import { PartSkeleton } from "#components/kit/list-skeleton.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { ProblemNote } from "#components/kit/problem-note.tsx";
import { PrefetchLink } from "#components/ui/prefetch-link.tsx";
import type { PeriodCheck, Checklist as PeriodChecklist } from "#lib/matching/sign-off/contract.ts";
import type { Reconciliation } from "#lib/reconciliations/contract.ts";
import { checklistOf, sourceOf } from "../queries.ts";
import { breakTexts, checkLinks } from "./check-links.ts";

type Sources = PeriodChecklist["sources"];

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

/** The checks before a close, each with links to its rows and the statements that are missing. */
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
  const { items, sources } = data;
  return (
    <ul className="flex w-full flex-col text-sm" aria-label="Checks before a close">
      {items.map(({ check, outcome, count, detail }) => {
        const { icon: Icon, tone, label } = OUTCOMES[outcome];
        // A check that the policy ignores passes, and may have rows all the same.
        const hasRows = outcome !== "pass" || (count ?? 0) > 0;
        return (
          <li
            key={check}
            data-tone={tone}
            className="flex items-start gap-2 border-b border-line py-2 last:border-0"
          >
            <Icon aria-label={label} className="mt-0.5 size-4 shrink-0 text-tone-ink" />
            <span className="w-40 shrink-0 font-medium max-sm:hidden">{CHECK_LABELS[check]}</span>
            <span className="min-w-0 flex-1 text-muted wrap-anywhere">
              <span className="sr-only">{CHECK_LABELS[check]}: </span>
              {detail}
              {hasRows &&
                checkLinks(tenant, reconciliation, check, sources).map(({ href, label }, place) => (
                  <Fragment key={href}>
                    {place === 0 ? " " : " · "}
                    <PrefetchLink
                      href={href}
                      className="text-accent-text underline underline-offset-2"
                    >
                      {label}
                    </PrefetchLink>
                  </Fragment>
                ))}
              {check === "balances" && <Breaks reconciliation={reconciliation} sources={sources} />}
            </span>
          </li>
        );
      })}
    </ul>
  );
}

/** Each gap and overlap of the statements, with the amount that its balances don't explain. */
function Breaks({ reconciliation, sources }: { reconciliation: Reconciliation; sources: Sources }) {
  const left = useCurrency(reconciliation.left_source_id, sources, "left");
  const right = useCurrency(reconciliation.right_source_id, sources, "right");
  const texts = breakTexts(sources, { left, right });
  if (texts.length === 0) return null;
  return (
    <ul aria-label="Gaps and overlaps" className="tabular-nums">
      {texts.map((text) => (
        <li key={text}>{text}</li>
      ))}
    </ul>
  );
}

/** Asked for only if an amount of this side is shown. */
function useCurrency(id: string | null, sources: Sources, side: "left" | "right") {
  const isShown = sources.some((source) => source.side === side && source.breaks.length > 0);
  const { data } = useQuery({
    ...sourceOf(useTenantId(), id ?? ""),
    enabled: id !== null && isShown,
  });
  return data?.currency;
}
