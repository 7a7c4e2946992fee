"use client";

import Link from "next/link";
import { isRefusal } from "#components/api-client.ts";
import { PartSkeleton } from "#components/kit/list-skeleton.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { ProblemNotice } from "#components/kit/problem-notice.tsx";
import { Button, buttonClass } from "#components/ui/button.tsx";
import { pluralize } from "#components/ui/pluralize.ts";
import type { Import } from "#lib/imports/contract.ts";
import type { Source } from "#lib/sources/contract.ts";
import { ImportOutcome } from "./import-panel.tsx";
import { ImportBadge } from "./labels.tsx";
import { NextPeriods } from "./next-periods.tsx";
import { isInProgress } from "./queries.ts";

type LiveImport = { data: Import | undefined; error: Error | null; refetch: () => unknown };

/** The import itself: live while the file is read, then the result. */
export function ImportStep({
  query: { data, error, refetch },
  source,
  onAnother,
}: {
  query: LiveImport;
  source: Source;
  onAnother: () => void;
}) {
  const tenantId = useTenantId();
  if (error && (!data || isRefusal(error)))
    return <ProblemNotice error={error} onRetry={() => refetch()} />;
  if (!data)
    return <PartSkeleton label="Loading the import" bars={["h-6 w-64", "h-16 w-full max-w-3xl"]} />;
  return (
    <div className="@container flex max-w-3xl flex-col gap-5">
      <div className="flex flex-col items-start gap-2">
        <ImportBadge imported={data} />
        <p role="status" className="text-lg font-semibold tracking-tight text-pretty wrap-anywhere">
          {summary(data)}
        </p>
      </div>
      <ImportOutcome imported={data} currency={source.currency} />
      {data.status === "done" && data.accepted_count > 0 && <NextPeriods sourceId={source.id} />}
      {!isInProgress(data) && (
        <div className="flex flex-wrap gap-2">
          <Button onClick={onAnother}>Import another file</Button>
          <Link href={`/${tenantId}/sources/${source.id}`} className={buttonClass()}>
            Back to {source.name.length > 30 ? "the source" : source.name}
          </Link>
        </div>
      )}
    </div>
  );
}

function summary({ status, file_name, accepted_count, undone_at, finished_at }: Import): string {
  const name = file_name ?? "The file";
  if (status === "queued" || status === "reading") return `Importing ${name}`;
  if (status === "undoing") return `Undoing the import of ${name}`;
  if (status === "failed") return `${name} couldn't be imported`;
  if (status === "undone")
    return undone_at === finished_at
      ? "Cancelled. No lines were imported."
      : `The import of ${name} was undone`;
  return accepted_count === 0
    ? `${name} has no new lines`
    : `${pluralize(accepted_count, "line")} imported from ${name}`;
}
