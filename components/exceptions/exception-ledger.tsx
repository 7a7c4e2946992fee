"use client";

import { useQuery } from "@tanstack/react-query";
import type { z } from "zod";
import { PartSkeleton } from "#components/kit/list-skeleton.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { ProblemNotice } from "#components/kit/problem-notice.tsx";
import { namesakes } from "#components/people/namesakes.ts";
import { personName } from "#components/people/person.tsx";
import { Time } from "#components/ui/time.tsx";
import type { LEDGER_KINDS, ledgerRow } from "#lib/exceptions/sla/contract.ts";
import { clockTime } from "./deadline.ts";
import { ledgerOf } from "./sla-queries.ts";

type Row = z.output<typeof ledgerRow>;

const KIND_WORDS: Record<(typeof LEDGER_KINDS)[number], string> = {
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

/** The SLA timeline: why it did or didn't breach, in rows that add up. */
export function ExceptionLedger({ id }: { id: string }) {
  const { data, error, refetch } = useQuery(ledgerOf(useTenantId(), id));
  if (!data)
    return error ? (
      <ProblemNotice error={error} onRetry={() => refetch()} />
    ) : (
      <PartSkeleton label="Loading the SLA timeline" bars={["h-5 w-2/3", "h-24 w-full"]} />
    );
  const whichOf = namesakes(data.rows);
  return (
    <>
      <p className="pb-3 text-sm text-pretty">{data.explanation}</p>
      <section
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
        tabIndex={0}
        aria-label="SLA timeline"
        className="overflow-x-auto"
      >
        <table className="w-full border-collapse text-xs">
          <caption className="sr-only">Time left is the previous row's time left, minus elapsed time, plus any extension</caption>
          <thead className="text-muted">
            <tr className="border-b border-line">
              <th scope="col" className="py-1.5 text-left font-medium">
                Event
              </th>
              <Heading>Elapsed</Heading>
              <Heading>Moved</Heading>
              <Heading>Left</Heading>
            </tr>
          </thead>
          <tbody>
            {data.rows.map((row) => (
              <tr key={`${row.at} ${row.kind} ${row.threshold_minutes}`} className="border-b border-line align-top">
                <th scope="row" className="py-1.5 text-left font-normal">
                  <span className="block font-medium">{nameOf(row)}</span>
                  <span className="block text-muted">
                    <Time iso={row.at} /> · {personName(row.actor)}
                    {whichOf(row) && ` (${whichOf(row)})`}
                  </span>
                </th>
                <Amount>{row.elapsed_seconds === 0 ? "–" : clockTime(-row.elapsed_seconds)}</Amount>
                <Amount>{row.moved_seconds === 0 ? "–" : `${row.moved_seconds > 0 ? "+" : ""}${clockTime(row.moved_seconds)}`}</Amount>
                <Amount>{clockTime(row.remaining_seconds)}</Amount>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </>
  );
}

function nameOf({ kind, threshold_minutes }: Row): string {
  return kind === "crossed" && threshold_minutes ? `${threshold_minutes} min or less left` : KIND_WORDS[kind];
}

function Heading({ children }: { children: string }) {
  return (
    <th scope="col" className="py-1.5 pl-3 text-right font-medium">
      {children}
    </th>
  );
}

function Amount({ children }: { children: string }) {
  return <td className="py-1.5 pl-3 text-right whitespace-nowrap tabular-nums">{children}</td>;
}
