"use client";

import { useInfiniteQuery } from "@tanstack/react-query";
import { Megaphone } from "lucide-react";
import { usePreferences } from "#components/shell/preferences-provider.tsx";
import { LoadMore } from "#components/ui/load-more.tsx";
import { formatDay } from "#components/ui/moment.ts";
import { Notice } from "#components/ui/notice.tsx";
import { ProblemNotice } from "#components/ui/problem-notice.tsx";
import { Skeleton } from "#components/ui/skeleton.tsx";
import type { StoredRecord } from "#lib/records/contract.ts";
import { MarkdownText } from "./markdown.tsx";
import { updatesQuery } from "./queries.ts";

/** A tenant's published release notes, for anybody. */
export function Updates({ tenantId, publishableKey }: { tenantId: string; publishableKey: string }) {
  const pages = useInfiniteQuery(updatesQuery(tenantId, publishableKey));
  const { data, error } = pages;
  if (error && !data) return <ProblemNotice error={error} onRetry={() => pages.refetch()} />;
  if (!data) {
    return (
      <div role="status" aria-label="Loading updates" className="flex flex-col gap-4">
        <Skeleton className="h-6 w-1/2" />
        <Skeleton className="h-24 w-full" />
      </div>
    );
  }
  const notes = data.pages.flatMap(({ items }) => items);
  if (notes.length === 0) {
    return (
      <Notice icon={Megaphone} title="Nothing has been published yet">
        Release notes appear here as soon as they are.
      </Notice>
    );
  }
  return (
    <>
      <div className="flex flex-col">
        {notes.map((note) => (
          <Note key={note.id} note={note} />
        ))}
      </div>
      <LoadMore shown={notes.length} pages={pages} />
    </>
  );
}

function Note({ note }: { note: StoredRecord }) {
  const { timeZone } = usePreferences();
  const at = textOf(note.published_at) ?? note.created_at;
  const [title, version, body] = [textOf(note.title), textOf(note.version), textOf(note.body)];
  return (
    <article aria-labelledby={note.id} className="flex flex-col gap-3 border-b border-line py-8 last:border-0">
      <div className="flex flex-col gap-1">
        <p className="flex items-center gap-2 text-sm text-muted">
          <time dateTime={at}>{formatDay(at, timeZone)}</time>
          {version && <span className="rounded-sm border border-line px-1.5 font-mono text-xs">{version}</span>}
        </p>
        <h2 id={note.id} className="text-xl font-semibold tracking-tight wrap-break-word">
          {title ?? version ?? "Update"}
        </h2>
      </div>
      {body && <MarkdownText text={body} />}
    </article>
  );
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}
