"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import type { ReactNode } from "react";
import { PartSkeleton } from "#components/kit/list-skeleton.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { ProblemNote } from "#components/kit/problem-note.tsx";
import { personName } from "#components/people/person.tsx";
import { Time } from "#components/ui/time.tsx";
import type { Line, LineEvent } from "#lib/lines/contract.ts";
import { lineHistory } from "./queries.ts";

const LINK = "underline underline-offset-2 hover:text-ink";

/** A line's history, the latest event first. */
export function LineHistory({ line }: { line: Line }) {
  const tenantId = useTenantId();
  const { data, error } = useQuery(lineHistory(tenantId, line.id));
  if (!data)
    return error ? (
      <ProblemNote error={error} />
    ) : (
      <PartSkeleton label="Loading the history" bars={["h-5 w-3/4", "h-5 w-1/2"]} />
    );
  return (
    <ol aria-label="History" className="flex flex-col gap-3 text-sm">
      {data.items.toReversed().map((event, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they have no identity
        <li key={index} className="border-l-2 border-line pl-3">
          <p className="wrap-break-word">
            <What event={event} line={line} tenant={tenantId} />
          </p>
          <p className="text-muted">
            <Time iso={event.at} />
            {event.actor !== null && event.actor !== "system" && <> by {personName(event.actor)}</>}
            {event.actor === "system" && " automatically"}
          </p>
        </li>
      ))}
    </ol>
  );
}

function What({
  event,
  line,
  tenant,
}: {
  event: LineEvent;
  line: Line;
  tenant: string;
}): ReactNode {
  const { type, note, match_id, exception_id, reconciliation_id, import_id } = event;
  const period = reconciliation_id && (
    <Link href={`/${tenant}/reconciliations/${reconciliation_id}`} className={LINK}>
      reconciliation
    </Link>
  );
  const exception = (
    <Link href={`/${tenant}/exceptions?exception=${exception_id}`} className={LINK}>
      Exception
    </Link>
  );
  switch (type) {
    case "added":
      if (import_id === null) return "Added through the API";
      return (
        <>
          Imported from{" "}
          <Link href={`/${tenant}/sources/${line.source_id}?import=${import_id}`} className={LINK}>
            {note ?? "a file"}
          </Link>
          {line.file_line !== null && `, line ${line.file_line.toLocaleString("en")}`}
        </>
      );
    case "suggested":
      return (
        <>
          Match suggested by “{note}”, {period}
        </>
      );
    case "matched":
      return note ? (
        <>
          Matched by “{note}”, {period}
        </>
      ) : (
        <>Matched by hand, {period}</>
      );
    case "confirmed":
      return <>Suggestion confirmed, {period}</>;
    case "rejected":
      return <>Suggestion rejected, {period}</>;
    case "undone":
      return match_id ? <>Decision or match undone, {period}</> : "Undone";
    case "excluded":
      return (
        <>
          Excluded from the {period}
          {note && `: ${note}`}
        </>
      );
    case "included":
      return <>Included again in the {period}</>;
    case "exception_opened":
      return (
        <>
          {exception} opened{note && `: ${note.replaceAll("_", " ")}`}
        </>
      );
    case "exception_resolved":
      return (
        <>
          {exception} resolved{note && `: ${note}`}
        </>
      );
    case "exception_dismissed":
      return (
        <>
          {exception} dismissed{note && `: ${note}`}
        </>
      );
  }
}
