"use client";

import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { PartSkeleton } from "#components/kit/list-skeleton.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { ProblemNotice } from "#components/kit/problem-notice.tsx";
import { namesakes } from "#components/people/namesakes.ts";
import { personName } from "#components/people/person.tsx";
import { Time } from "#components/ui/time.tsx";
import type { TIMELINE_KINDS } from "#lib/exceptions/sla/contract.ts";
import { formatClock } from "../deadline.ts";
import { slaTimelineOf } from "./sla-queries.ts";
import { type RoundedRow, type Row, roundRows } from "./timeline-figures.ts";
import { TimelineStrip } from "./timeline-strip.tsx";

const KIND_LABELS: Record<(typeof TIMELINE_KINDS)[number], string> = {
  set: "Deadline set",
  moved: "Deadline moved",
  crossed: "Deadline passed",
  paused: "Paused",
  resumed: "Resumed",
  recalculated: "Recalculated by calendar",
  resolved: "Resolved",
  dismissed: "Dismissed",
  reopened: "Reopened",
};

/**
 * The SLA timeline: why it did or didn't breach, as a strip over the days and in rows that add up.
 */
export function SlaTimeline({ id }: { id: string }) {
  const { data, error, refetch } = useQuery(slaTimelineOf(useTenantId(), id));
  if (!data)
    return error ? (
      <ProblemNotice error={error} onRetry={() => refetch()} />
    ) : (
      <PartSkeleton
        label="Loading the SLA timeline"
        bars={["h-5 w-2/3", "h-7 w-full", "h-24 w-full"]}
      />
    );
  const whichOf = namesakes(data.rows);
  const rounded = roundRows(data.rows);
  const last = data.rows.at(-1);
  // A paused exception is due when its remaining time would end if it were resumed now.
  const dueAt =
    (last?.kind === "paused" ? data.segments.at(-1)?.ends_at : last?.due_at) ?? data.as_of;
  return (
    <div className="flex flex-col gap-4">
      <p className="text-sm text-pretty">{data.explanation}</p>
      <TimelineStrip segments={data.segments} asOf={data.as_of} dueAt={dueAt} />
      <table className="w-full table-fixed border-collapse text-xs">
        <caption className="sr-only">
          Time left is the previous row's time left, minus elapsed time, plus any extension
        </caption>
        <thead className="text-muted">
          <tr className="border-b border-line">
            <Heading>Elapsed</Heading>
            <Heading>Moved</Heading>
            <Heading>Left</Heading>
          </tr>
        </thead>
        {data.rows.map((row, index) => (
          <tbody
            key={`${row.at} ${row.kind} ${row.threshold_minutes} ${row.threshold_kind}`}
            className="border-b border-line"
          >
            <tr>
              <th scope="rowgroup" colSpan={3} className="pt-2 text-left font-normal">
                <span className="font-medium">{nameOf(row)}</span>{" "}
                <span className="text-muted">
                  <Time iso={row.at} /> · {personName(row.actor)}
                  {whichOf(row) && ` (${whichOf(row)})`}
                </span>
              </th>
            </tr>
            <Amounts row={rounded[index] as RoundedRow} />
          </tbody>
        ))}
      </table>
    </div>
  );
}

function Amounts({
  row: { elapsed, worked, closed, paused, moved, left, businessLeft },
}: {
  row: RoundedRow;
}) {
  const isMixed = closed > 0 || paused > 0;
  return (
    <tr className="align-top">
      <Amount value={elapsed === 0 ? "–" : formatClock(-elapsed)}>
        {isMixed && worked > 0 && <Part>{formatClock(worked)} worked</Part>}
        {closed > 0 && <Part>{formatClock(closed)} closed</Part>}
        {paused > 0 && <Part>{formatClock(paused)} paused</Part>}
      </Amount>
      <Amount value={moved === 0 ? "–" : `${moved > 0 ? "+" : ""}${formatClock(moved)}`} />
      <Amount value={formatClock(left)}>
        {businessLeft !== null && <Part>{formatClock(businessLeft)} business</Part>}
      </Amount>
    </tr>
  );
}

function nameOf({ kind, threshold_minutes, threshold_kind }: Row): string {
  if (kind !== "crossed" || !threshold_minutes) return KIND_LABELS[kind];
  return `${threshold_minutes} ${threshold_kind === "business" ? "business min" : "min"} or less left`;
}

function Heading({ children }: { children: string }) {
  return (
    <th scope="col" className="py-1.5 text-right font-medium">
      {children}
    </th>
  );
}

function Amount({ value, children }: { value: string; children?: ReactNode }) {
  return (
    <td className="py-1.5 pl-1 text-right tabular-nums">
      {value}
      {children}
    </td>
  );
}

function Part({ children }: { children: ReactNode }) {
  return <span className="block text-muted">{children}</span>;
}
