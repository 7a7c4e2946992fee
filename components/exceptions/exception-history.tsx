"use client";

import { useInfiniteQuery } from "@tanstack/react-query";
import type { z } from "zod";
import { PartSkeleton } from "#components/kit/list-skeleton.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { ProblemNotice } from "#components/kit/problem-notice.tsx";
import { namesakes } from "#components/people/namesakes.ts";
import { personName } from "#components/people/person.tsx";
import { Button } from "#components/ui/button.tsx";
import { Time } from "#components/ui/time.tsx";
import { type listExceptionHistoryContract, STATUSES } from "#lib/exceptions/contract.ts";
import { historyPages } from "./queries.ts";
import { STATUS_WORDS } from "./words.tsx";

type Change = z.output<typeof listExceptionHistoryContract.response>["items"][number];

const FIELD_WORDS: Record<string, string> = {
  paused_at: "Paused",
  paused_until: "Paused until",
  pause_reason: "Pause reason",
  calendar_id: "Calendar",
  title: "Title",
  severity: "Severity",
  assigned_to: "Assignee",
  due_at: "Due",
  status: "Status",
  reason_code: "Reason",
  amount_minor: "Amount in minor units",
  currency: "Currency",
  reconciliation_id: "Reconciliation",
  details: "Details",
  resolution: "Resolution",
  closed_at: "Closed",
};

/** The exception's changes, newest first. */
export function ExceptionHistory({ id }: { id: string }) {
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(historyPages(useTenantId(), id));
  if (!data)
    return error ? (
      <ProblemNotice error={error} onRetry={() => refetch()} />
    ) : (
      <PartSkeleton label="Loading the history" bars={["h-5 w-3/4", "h-5 w-1/2"]} />
    );
  const changes = data.pages.flatMap((page) => page.items);
  const whichOf = namesakes(changes);
  return (
    <>
      <ol aria-label="History" className="flex flex-col gap-4 text-sm">
        {changes.map((change) => (
          <li key={`${change.at} ${change.request_id} ${Object.keys(change.changes)}`} className="border-l-2 border-line pl-3">
            <p className="text-muted">
              <Time iso={change.at} /> · <span className="text-ink">{personName(change.actor)}</span>{" "}
              {whichOf(change) && <>({whichOf(change)}) </>}
              {change.kind === "created" ? "created this exception" : "changed"}
            </p>
            {change.kind === "updated" && <Fields changes={change.changes} />}
          </li>
        ))}
      </ol>
      {hasNextPage && (
        <Button size="sm" className="mt-4" disabled={isFetchingNextPage} onClick={() => fetchNextPage()}>
          {isFetchingNextPage ? "Loading…" : "Show older changes"}
        </Button>
      )}
    </>
  );
}

function Fields({ changes }: { changes: Change["changes"] }) {
  return (
    <dl className="mt-1 flex flex-col gap-1">
      {Object.entries(changes).map(([field, { from, to }]) => (
        <div key={field} className="wrap-break-word">
          <dt className="inline font-medium">{FIELD_WORDS[field] ?? field}: </dt>
          <dd className="inline">
            <span className="sr-only">from </span>
            <Value field={field} value={from} />
            <span aria-hidden className="text-muted">
              {" → "}
            </span>
            <span className="sr-only"> to </span>
            <Value field={field} value={to} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Value({ field, value }: { field: string; value: unknown }) {
  if (value === null) return <span className="text-muted">none</span>;
  if (typeof value !== "string") return <code className="font-mono text-xs">{JSON.stringify(value)}</code>;
  if (field.endsWith("_at") || field === "paused_until") return <Time iso={value} />;
  if (field === "assigned_to") return personName(value);
  const status = field === "status" && STATUSES.find((one) => one === value);
  return status ? STATUS_WORDS[status] : value;
}
