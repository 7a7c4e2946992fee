"use client";

import { useQuery } from "@tanstack/react-query";
import { ListChecks } from "lucide-react";
import { Fact, Facts } from "#components/kit/facts.tsx";
import { PartSkeleton } from "#components/kit/list-skeleton.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { PanelSection } from "#components/kit/panel-parts.tsx";
import { ProblemNote } from "#components/kit/problem-note.tsx";
import { buttonClass } from "#components/ui/button.tsx";
import { formatDay } from "#components/ui/moment.ts";
import { formatMoney } from "#components/ui/money.ts";
import { PrefetchLink } from "#components/ui/prefetch-link.tsx";
import type { Exception } from "#lib/exceptions/contract.ts";
import { lineById, matchById } from "../queries.ts";
import { ExceptionSuggestion } from "./exception-suggestion.tsx";

/** What matching found about an exception: its suggested match, or its only line. */
export function ExceptionLine({ exception }: { exception: Exception }) {
  const tenant = useTenantId();
  const { suggested_match_id } = exception;
  const match = useQuery({
    ...matchById(tenant, suggested_match_id ?? ""),
    enabled: suggested_match_id !== null,
  });
  if (suggested_match_id === null || match.error) return <SingleLine exception={exception} />;
  if (match.data) return <ExceptionSuggestion exception={exception} match={match.data} />;
  return (
    <PanelSection title="Suggested match">
      <PartSkeleton
        label="Loading the suggested match"
        bars={["h-16 w-full", "h-16 w-full ", "h-8 w-8/12"]}
      />
    </PanelSection>
  );
}

function SingleLine({
  exception: { line_id, reconciliation_id, closed_at },
}: {
  exception: Exception;
}) {
  const tenant = useTenantId();
  const line = useQuery({ ...lineById(tenant, line_id ?? ""), enabled: line_id !== null });
  if (line_id === null) return null;
  return (
    <PanelSection title="Line">
      {line.error && !line.data ? (
        <ProblemNote error={line.error} />
      ) : !line.data ? (
        <PartSkeleton label="Loading the line" bars={["h-4 w-full", "h-4 w-10/12", "h-4 w-8/12"]} />
      ) : (
        <Facts>
          <Fact name="Amount">{formatMoney(line.data.amount_minor, line.data.currency)}</Fact>
          {line.data.open_minor !== 0 && line.data.open_minor !== line.data.amount_minor && (
            <Fact name="Open">{formatMoney(line.data.open_minor, line.data.currency)}</Fact>
          )}
          <Fact name="Value date">{formatDay(line.data.value_date, "UTC")}</Fact>
          {line.data.counterparty && <Fact name="Counterparty">{line.data.counterparty}</Fact>}
          {line.data.reference && <Fact name="Reference">{line.data.reference}</Fact>}
          {line.data.description && <Fact name="Description">{line.data.description}</Fact>}
        </Facts>
      )}
      {reconciliation_id && closed_at === null && (
        <PrefetchLink
          href={`/${tenant}/reconciliations/${reconciliation_id}/workbench?line=${line_id}`}
          className={`mt-1 self-start ${buttonClass({ size: "sm" })}`}
        >
          <ListChecks aria-hidden className="size-4 text-muted" />
          Open in the workbench
        </PrefetchLink>
      )}
    </PanelSection>
  );
}
