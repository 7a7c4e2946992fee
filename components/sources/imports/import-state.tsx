"use client";

import { pluralize } from "#components/ui/pluralize.ts";
import { ProgressBar } from "#components/ui/progress-bar.tsx";
import { inSize } from "#components/ui/size.ts";
import type { Import } from "#lib/imports/contract.ts";

/** How far an import is: by bytes and lines. */
export function ImportProgress({
  imported: { status, bytes_read, bytes_total, read_count },
}: {
  imported: Import;
}) {
  if (status === "undoing")
    return <Bar label="Undoing the import" note="Removing its lines and undoing their matches…" />;
  if (status === "queued")
    return (
      <Bar
        label="Waiting to be read"
        note="The file is in. It's read as soon as a worker is free."
      />
    );
  return (
    <Bar
      label="Reading the file"
      note={`${pluralize(read_count, "line")} read`}
      done={{ value: bytes_read, max: Math.max(1, bytes_total) }}
      aside={`${inSize(bytes_read)} of ${inSize(bytes_total)}`}
    />
  );
}

/** `done`: omitted while unknown. */
export function Bar({
  label,
  note,
  aside,
  done,
}: {
  label: string;
  note: string;
  aside?: string;
  done?: { value: number; max: number };
}) {
  return (
    <div className="flex flex-col gap-1.5">
      <p role="status" className="text-sm font-medium">
        {label}
      </p>
      {done ? (
        <ProgressBar label={label} value={Math.min(done.value, done.max)} max={done.max} />
      ) : (
        <div aria-hidden className="h-2 animate-pulse rounded-full bg-line" />
      )}
      <p className="flex flex-wrap justify-between gap-x-4 text-sm text-muted tabular-nums">
        <span>{note}</span>
        <span>{aside}</span>
      </p>
    </div>
  );
}

/** What came of an import, as figures. */
export function ImportFigures({
  imported: { accepted_count, duplicate_count, refused_count, skipped_count },
}: {
  imported: Import;
}) {
  const figures = [
    ["New", accepted_count],
    ["Duplicates", duplicate_count],
    ["Rejected", refused_count],
    ...(skipped_count > 0 ? [["Skipped", skipped_count] as const] : []),
  ] as const;
  return (
    <dl className="grid auto-cols-fr overflow-hidden rounded-lg border border-line bg-raised @md:grid-flow-col">
      {figures.map(([name, count]) => (
        <div
          key={name}
          className="-mr-px -mb-px flex items-baseline justify-between gap-3 border-r border-b border-line px-3 py-2 @md:block"
        >
          <dt className="text-xs text-muted">{name}</dt>
          <dd className="text-lg font-semibold tabular-nums">{count.toLocaleString("en")}</dd>
        </div>
      ))}
    </dl>
  );
}
