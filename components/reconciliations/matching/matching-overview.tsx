"use client";

import { Fact, Facts } from "#components/kit/facts.tsx";
import { Figure, Figures } from "#components/kit/figures.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { ActorName } from "#components/people/actor-name.tsx";
import { PrefetchLink } from "#components/ui/prefetch-link.tsx";
import type { Reconciliation } from "#lib/reconciliations/contract.ts";
import { periodOf } from "#lib/wire/period-name.ts";
import { EntriesCard } from "../entries/entries-card.tsx";
import { matchedShare, PeriodStatus } from "../labels.tsx";
import { periodLines } from "../period-lines.ts";
import { SignOffCard } from "../sign-off/sign-off-card.tsx";
import { AgingCard } from "./aging-card.tsx";
import { Closing } from "./closing.tsx";
import { Preparing } from "./preparing.tsx";
import { ProofCard } from "./proof-card.tsx";
import { RateCard } from "./rate-card.tsx";
import { RunCard } from "./run-card.tsx";
import { TiedOut } from "./tied-out.tsx";

/** A reconciliation of lines: its last run, its proof, and its open lines. */
export function MatchingOverview({ reconciliation }: { reconciliation: Reconciliation }) {
  const { matched_count, unmatched_count, open_exceptions, preparing, closing, closing_failure } =
    reconciliation;
  const isOpen = reconciliation.closed_at === null && reconciliation.status !== "archived";
  return (
    <div className="flex flex-col gap-4 pb-8">
      {preparing && <Preparing />}
      {(closing || closing_failure) && <Closing closing={closing} failure={closing_failure} />}
      <TiedOut reconciliation={reconciliation} />
      <Figures>
        <Figure name="Matched lines" value={matched_count.toLocaleString("en")}>
          {matched_count > 0 && (
            <LinesLink id={reconciliation.id} state="matched" label="matched" />
          )}
        </Figure>
        <Figure name="Open lines" value={unmatched_count.toLocaleString("en")}>
          {unmatched_count > 0 && (
            <LinesLink id={reconciliation.id} state="outstanding" label="open" />
          )}
        </Figure>
        <Figure name="Match rate" value={matchedShare(reconciliation) ?? "–"} />
        <Figure name="Open exceptions" value={open_exceptions.toLocaleString("en")} />
      </Figures>
      <RunCard reconciliation={reconciliation} />
      <EntriesCard reconciliation={reconciliation} />
      {isOpen && <SignOffCard reconciliation={reconciliation} />}
      <div className="grid items-start gap-4 @4xl:grid-cols-2">
        <ProofCard reconciliation={reconciliation} />
        <AgingCard id={reconciliation.id} />
      </div>
      <RateCard reconciliation={reconciliation} />
      <About reconciliation={reconciliation} />
    </div>
  );
}

function LinesLink({
  id,
  state,
  label,
}: {
  id: string;
  state: "matched" | "outstanding";
  label: string;
}) {
  return (
    <PrefetchLink
      href={periodLines(useTenantId(), id, { state })}
      className="text-accent-text hover:underline"
    >
      View <span className="sr-only">{label} </span>lines
    </PrefetchLink>
  );
}

function About({ reconciliation }: { reconciliation: Reconciliation }) {
  const { left_source, right_source, auto_run, created_at, created_by, closed_at, closed_by } =
    reconciliation;
  return (
    <Facts>
      <Fact name="Status">
        <PeriodStatus reconciliation={reconciliation} />
      </Fact>
      <Fact name="Period">{periodOf(reconciliation)}</Fact>
      <Fact name="Left source">
        <SourceLink id={reconciliation.left_source_id} name={left_source} />
      </Fact>
      <Fact name="Right source">
        <SourceLink id={reconciliation.right_source_id} name={right_source} />
      </Fact>
      <Fact name="Runs">{auto_run ? "Start when lines arrive" : "Start by hand"}</Fact>
      {closed_at && (
        <Fact name="Closed">
          <ActorName iso={closed_at} actor={closed_by} />
        </Fact>
      )}
      <Fact name="Created">
        <ActorName iso={created_at} actor={created_by} />
      </Fact>
    </Facts>
  );
}

function SourceLink({ id, name }: { id: string | null; name: string }) {
  const tenant = useTenantId();
  if (id === null) return name;
  return (
    <PrefetchLink href={`/${tenant}/sources/${id}`} className="text-accent-text hover:underline">
      {name}
    </PrefetchLink>
  );
}
