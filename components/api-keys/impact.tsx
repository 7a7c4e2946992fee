"use client";

import { ShieldCheck } from "lucide-react";
import { Note } from "#components/ui/note.tsx";
import { pluralize } from "#components/ui/pluralize.ts";
import { Skeleton } from "#components/ui/skeleton.tsx";
import type { ApiKeyImpact } from "#lib/api-keys/contract.ts";

const SHOWN = 5;

/** The calls of the last 7 days that a change would have refused. */
export function Impact({
  impact,
  error,
  ends = false,
}: {
  impact: ApiKeyImpact | undefined;
  error: Error | null;
  /** Whether the change ends the key, which refuses every call. */
  ends?: boolean;
}) {
  if (error)
    return (
      <Note tone="warning">Couldn't check which calls this would refuse: {error.message}</Note>
    );
  if (!impact) {
    return (
      <div
        role="status"
        aria-label="Checking calls from the last 7 days"
        className="flex flex-col gap-2"
      >
        <Skeleton className="h-9 w-full" />
        <Skeleton className="h-4 w-1/2" />
      </div>
    );
  }
  const { calls, refused, by_operation, by_address } = impact;
  if (refused === 0) {
    return (
      <p className="flex items-center gap-2 text-sm">
        <ShieldCheck aria-hidden className="size-4 shrink-0 text-accent-text" />
        {calls === 0
          ? "This key hasn't been used in the last 7 days."
          : "This wouldn't have refused any call in the last 7 days."}
      </p>
    );
  }
  return (
    <div className="flex flex-col gap-3">
      <Note tone="warning">
        {ends ? (
          <>
            <strong>{pluralize(calls, "call")}</strong> used this key in the last 7 days.
          </>
        ) : (
          <>
            This would have refused <strong>{refused.toLocaleString("en")}</strong> of the{" "}
            {pluralize(calls, "call")} in the last 7 days.
          </>
        )}
      </Note>
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <Counts
          title="By operation"
          rows={by_operation.map(({ operation, refused: count }) => [operation, count])}
        />
        <Counts
          title="By address"
          rows={by_address.map(({ address, refused: count }) => [address, count])}
        />
      </div>
    </div>
  );
}

function Counts({ title, rows }: { title: string; rows: [name: string, count: number][] }) {
  return (
    <table className="w-full text-sm">
      <caption className="pb-1 text-left text-xs font-medium text-muted">{title}</caption>
      <tbody>
        {rows.slice(0, SHOWN).map(([name, count]) => (
          <tr key={name}>
            <th
              scope="row"
              className="py-0.5 pr-3 text-left font-mono text-xs font-normal break-all"
            >
              {name}
            </th>
            <td className="py-0.5 text-right tabular-nums">{count.toLocaleString("en")}</td>
          </tr>
        ))}
        {rows.length > SHOWN && (
          <tr>
            <td colSpan={2} className="py-0.5 text-muted">
              and {rows.length - SHOWN} more
            </td>
          </tr>
        )}
      </tbody>
    </table>
  );
}
