"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { EvidenceList } from "#components/evidence/evidence-list.tsx";
import { lineName } from "#components/kit/line-name.ts";
import { PartSkeleton } from "#components/kit/list-skeleton.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { ProblemNote } from "#components/kit/problem-note.tsx";
import type { PageLink } from "#components/kit/use-search.ts";
import { personName } from "#components/people/person.tsx";
import { Disclosure } from "#components/ui/disclosure.tsx";
import { formatDay } from "#components/ui/moment.ts";
import { formatMoney } from "#components/ui/money.ts";
import { percent } from "#components/ui/percent.ts";
import { pluralize } from "#components/ui/pluralize.ts";
import { Time } from "#components/ui/time.tsx";
import type { Match } from "#lib/matching/contract.ts";
import { lineById, matchById } from "./queries.ts";
import { UndoMatch } from "./undo-match.tsx";

const SHOWN_MAX = 8;

/** A match of a line: how it came about, and its other lines. */
export function LineMatch({
  id,
  lineId,
  linkTo,
}: {
  id: string;
  lineId: string;
  linkTo: (to: { line: string }) => PageLink;
}) {
  const tenantId = useTenantId();
  const { data: match, error } = useQuery(matchById(tenantId, id));
  if (!match)
    return error ? (
      <ProblemNote error={error} />
    ) : (
      <PartSkeleton label="Loading the match" bars={["h-20 w-full"]} />
    );
  const others = match.members.filter((member) => member.line_id !== lineId);
  return (
    <div className="rounded-lg border border-line bg-raised text-sm">
      <div className="flex flex-wrap items-start justify-between gap-2 border-b border-line px-3 py-2">
        <p>
          <span className="font-medium">
            {match.method === "manual" ? "Matched by hand" : match.method}
          </span>
          <span className="block text-muted">
            <Decision match={match} /> ·{" "}
            <Link
              href={`/${tenantId}/reconciliations/${match.reconciliation_id}`}
              className="underline underline-offset-2 hover:text-ink"
            >
              Reconciliation
            </Link>
          </span>
        </p>
        <UndoMatch match={match} />
      </div>
      <ul>
        {others.slice(0, SHOWN_MAX).map((member) => (
          <Member key={member.line_id} lineId={member.line_id} linkTo={linkTo} />
        ))}
      </ul>
      {others.length > SHOWN_MAX && (
        <p className="px-3 pb-2 text-muted">
          and {pluralize(others.length - SHOWN_MAX, "more line")}.
        </p>
      )}
      {match.adjustments.map(({ kind, amount_minor, note }, index) => (
        <p
          // biome-ignore lint/suspicious/noArrayIndexKey: they have no identity
          key={index}
          className="flex justify-between gap-3 border-t border-line px-3 py-2 text-muted"
        >
          <span className="min-w-0 truncate">
            {note ?? `Adjustment: ${kind.replace("_", "-")}`}
          </span>
          <span className="tabular-nums">{formatMoney(amount_minor, match.currency)}</span>
        </p>
      ))}
      {match.residual_minor !== 0 && (
        <p className="flex justify-between gap-3 border-t border-line px-3 py-2 text-muted">
          <span>Residual</span>
          <span className="tabular-nums">{formatMoney(match.residual_minor, match.currency)}</span>
        </p>
      )}
      <div className="px-3 pb-1">
        <Disclosure title="Evidence of the match">
          <EvidenceList subjectId={match.id} />
        </Disclosure>
      </div>
    </div>
  );
}

function Decision({ match: { decided_by, decided_at, created_at, score } }: { match: Match }) {
  const sure = score === null ? "" : `, ${percent(score)} sure`;
  return (
    <>
      <Time iso={decided_at ?? created_at} />{" "}
      {decided_by ? `by ${personName(decided_by)}` : `automatically${sure}`}
    </>
  );
}

function Member({
  lineId,
  linkTo,
}: {
  lineId: string;
  linkTo: (to: { line: string }) => PageLink;
}) {
  const { data: line, error } = useQuery(lineById(useTenantId(), lineId));
  const link = linkTo({ line: lineId });
  return (
    <li className="border-b border-line last:border-b-0">
      <a
        href={link.href}
        onClick={(event) => {
          if (event.metaKey || event.ctrlKey || event.shiftKey) return;
          event.preventDefault();
          link.follow();
        }}
        className="flex items-center justify-between gap-3 px-3 py-2 hover:bg-hover"
      >
        {line ? (
          <>
            <span className="min-w-0">
              <span className="block truncate">{lineName(line)}</span>
              <span className="block truncate text-muted">
                {[formatDay(line.value_date, "UTC"), line.reference].filter(Boolean).join(" · ")}
              </span>
            </span>
            <span className="whitespace-nowrap tabular-nums">
              {formatMoney(line.amount_minor, line.currency)}
            </span>
          </>
        ) : (
          <span className="text-muted">{error ? error.message : "Loading…"}</span>
        )}
      </a>
    </li>
  );
}
