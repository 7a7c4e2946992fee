"use client";

import { useQuery } from "@tanstack/react-query";
import { Check, Equal, ListChecks, X } from "lucide-react";
import { ExplainDialog } from "#components/kit/explain-dialog.tsx";
import { Fact, Facts } from "#components/kit/facts.tsx";
import { MatchEvidence, toleranceText } from "#components/kit/match-evidence.tsx";
import { ADJUSTMENT_LABELS, heldReason } from "#components/kit/match-labels.ts";
import { useTenantId } from "#components/kit/member.tsx";
import { PanelSection } from "#components/kit/panel-parts.tsx";
import { useKeys } from "#components/kit/use-keys.ts";
import { usePreferences } from "#components/preferences/preferences-provider.tsx";
import { Button, buttonClass } from "#components/ui/button.tsx";
import { Keys } from "#components/ui/keys.tsx";
import { formatDay } from "#components/ui/moment.ts";
import { formatMoney } from "#components/ui/money.ts";
import { percent } from "#components/ui/percent.ts";
import { pluralize } from "#components/ui/pluralize.ts";
import { PrefetchLink } from "#components/ui/prefetch-link.tsx";
import type { Exception } from "#lib/exceptions/contract.ts";
import type { Match } from "#lib/matching/contract.ts";
import { reconciliationNameOf } from "../queries.ts";
import { useDecideSuggestion } from "./use-decide-suggestion.ts";

const LINES_SHOWN = 5;
const SIDES = ["left", "right"] as const;

type Member = Match["members"][number];

/** The lines of a suggested match, their difference and evidence, and the decision about it. */
export function ExceptionSuggestion({ exception, match }: { exception: Exception; match: Match }) {
  const tenant = useTenantId();
  const { singleKeys } = usePreferences();
  const { data: reconciliation } = useQuery(reconciliationNameOf(tenant, match.reconciliation_id));
  const deciding = useDecideSuggestion(exception, match);
  const { currency, explanation, adjustments, residual_minor, score } = match;
  const sumOf = (side: Member["side"]) =>
    match.members.reduce(
      (sum, member) => (member.side === side ? sum + member.allocated_minor : sum),
      0,
    );
  const difference = sumOf("left") - sumOf("right");
  const money = (minor: number) => formatMoney(minor, currency);
  const isOpen = match.state === "suggested" && exception.closed_at === null;

  useKeys(
    isOpen && deciding.mayDecide
      ? [
          ["y", ({ repeat }) => !repeat && deciding.confirm()],
          ["n", ({ repeat }) => !repeat && deciding.reject()],
        ]
      : [],
  );

  return (
    <PanelSection title={match.state === "confirmed" ? "Match" : "Suggested match"}>
      <div className="overflow-hidden rounded-lg border border-line bg-raised text-sm">
        {SIDES.map((side) => (
          <Side
            key={side}
            source={reconciliation?.[`${side}_source`] ?? (side === "left" ? "Left" : "Right")}
            members={match.members.filter((member) => member.side === side)}
            currency={currency}
          />
        ))}
        <p
          data-tone={residual_minor === 0 ? "good" : "warning"}
          className="flex items-baseline justify-between gap-3 bg-tone-soft px-3 py-2 text-tone-ink"
        >
          <span>Difference</span>
          <span className="inline-flex items-center gap-1 font-semibold tabular-nums">
            {difference === 0 && <Equal aria-hidden className="size-3.5" />}
            {difference === 0 ? "None" : money(difference)}
          </span>
        </p>
        {adjustments.map(({ kind, amount_minor, note }, at) => (
          <p
            // biome-ignore lint/suspicious/noArrayIndexKey: adjustments have no ID
            key={at}
            className="flex justify-between gap-3 border-t border-line px-3 py-2 text-muted"
          >
            <span className="min-w-0 truncate">{note ?? ADJUSTMENT_LABELS[kind]}</span>
            <span className="tabular-nums">{money(amount_minor)}</span>
          </p>
        ))}
      </div>
      {isOpen && (
        <div className="flex flex-wrap gap-2">
          {deciding.mayDecide && (
            <>
              <Button
                size="sm"
                variant="primary"
                disabled={deciding.isPending}
                aria-keyshortcuts={singleKeys ? "Y" : undefined}
                onClick={deciding.confirm}
              >
                <Check aria-hidden className="size-4" />
                {residual_minor === 0
                  ? "Confirm"
                  : deciding.asksToExplain
                    ? "Confirm…"
                    : `Confirm with ${money(residual_minor)} difference`}
                {singleKeys && <Hint letter="Y" />}
              </Button>
              <Button
                size="sm"
                disabled={deciding.isPending}
                aria-keyshortcuts={singleKeys ? "N" : undefined}
                onClick={deciding.reject}
              >
                <X aria-hidden className="size-4 text-muted" />
                Reject
                {singleKeys && <Hint letter="N" />}
              </Button>
            </>
          )}
          <PrefetchLink
            href={`/${tenant}/reconciliations/${match.reconciliation_id}/workbench?line=${exception.line_id}`}
            className={buttonClass({ size: "sm" })}
          >
            <ListChecks aria-hidden className="size-4 text-muted" />
            Workbench
          </PrefetchLink>
        </div>
      )}
      <MatchEvidence fields={explanation.fields} currency={currency} />
      <Facts>
        <Fact name="Rule">
          {match.method}
          {score !== null && ` · ${percent(score)}`}
        </Fact>
        {explanation.tolerance && (
          <Fact name="Tolerance used">
            <span className="tabular-nums">{toleranceText(explanation.tolerance, currency)}</span>
          </Fact>
        )}
        {explanation.note && <Fact name="Note">{explanation.note}</Fact>}
        {explanation.held && <Fact name="Why not automatic">{heldReason(explanation.held)}</Fact>}
      </Facts>
      {deciding.isExplaining && (
        <ExplainDialog
          difference={residual_minor}
          currency={currency}
          onClose={deciding.stopExplaining}
          onExplain={deciding.explain}
        />
      )}
    </PanelSection>
  );
}

function Hint({ letter }: { letter: string }) {
  return (
    <span className="max-sm:hidden">
      <Keys keys={[letter]} />
    </span>
  );
}

function Side({
  source,
  members,
  currency,
}: {
  source: string;
  members: readonly Member[];
  currency: string;
}) {
  const tenant = useTenantId();
  return (
    <section aria-label={source} className="border-b border-line">
      <h4 className="truncate px-3 pt-2 text-xs text-muted">{source}</h4>
      <ul>
        {members.slice(0, LINES_SHOWN).map((member) => (
          <li key={member.line_id}>
            <PrefetchLink
              href={`/${tenant}/lines?line=${member.line_id}`}
              className="flex items-baseline justify-between gap-3 px-3 py-1.5 hover:bg-hover"
            >
              <span className="min-w-0">
                <span className="block truncate font-medium">
                  {member.counterparty ?? member.reference ?? "No text"}
                </span>
                <span className="block truncate text-muted">
                  {[
                    member.value_date && formatDay(member.value_date, "UTC"),
                    member.counterparty && member.reference,
                  ]
                    .filter(Boolean)
                    .join(" · ")}
                </span>
              </span>
              <span className="font-medium whitespace-nowrap tabular-nums">
                {formatMoney(member.allocated_minor, currency)}
              </span>
            </PrefetchLink>
          </li>
        ))}
      </ul>
      {members.length > LINES_SHOWN && (
        <p className="px-3 pb-2 text-muted">
          and {pluralize(members.length - LINES_SHOWN, "more line")}
        </p>
      )}
    </section>
  );
}
