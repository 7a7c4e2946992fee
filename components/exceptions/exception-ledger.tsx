"use client";

import { useQuery } from "@tanstack/react-query";
import type { z } from "zod";
import { namesakes } from "#components/people/namesakes.ts";
import { ProblemNotice } from "#components/ui/problem-notice.tsx";
import { Skeleton } from "#components/ui/skeleton.tsx";
import { Time } from "#components/ui/time.tsx";
import type { LEDGER_KINDS, ledgerRow } from "#lib/exceptions/sla/contract.ts";
import { assigneeName } from "./assignee.tsx";
import { clockTime } from "./deadline.ts";
import { ledgerQuery } from "./queries.ts";

type Row = z.output<typeof ledgerRow>;

const KIND_WORDS: Record<(typeof LEDGER_KINDS)[number], string> = {
  set: "Deadline set",
  moved: "Deadline moved",
  crossed: "Deadline passed",
  resolved: "Resolved",
  dismissed: "Dismissed",
  reopened: "Reopened",
};

/** Why it breached or did not, in rows that add up. */
export function ExceptionLedger({ tenantId, id }: { tenantId: string; id: string }) {
  const { data, error, refetch } = useQuery(ledgerQuery(tenantId, id));
  if (!data) return error ? <ProblemNotice error={error} onRetry={() => refetch()} /> : <Loading />;
  const whichOf = namesakes(data.rows);
  return (
    <>
      <p className="pb-3 text-sm text-pretty">{data.explanation}</p>
      <section
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
        aria-label="Changes of the clock"
        className="overflow-x-auto"
      >
        <table className="w-full border-collapse text-xs">
          <caption className="sr-only">Each row's time left is that of the row before, less the time gone, plus the time moved</caption>
          <thead className="text-muted">
            <tr className="border-b border-line">
              <th scope="col" className="py-1.5 text-left font-medium">
                Event
              </th>
              <Heading>Gone</Heading>
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
                    <Time iso={row.at} /> · {assigneeName(row.actor)}
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

function Loading() {
  return (
    <div role="status" aria-label="Loading the clock" className="flex flex-col gap-3">
      <Skeleton className="h-5 w-2/3" />
      <Skeleton className="h-24 w-full" />
    </div>
  );
}
