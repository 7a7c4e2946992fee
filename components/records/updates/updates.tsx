"use client";

import { Megaphone } from "lucide-react";
import { ListBody } from "#components/kit/list-body.tsx";
import { PartSkeleton } from "#components/kit/list-skeleton.tsx";
import { useList } from "#components/kit/use-list.ts";
import { usePreferences } from "#components/preferences/preferences-provider.tsx";
import { formatDay } from "#components/ui/moment.ts";
import { Notice } from "#components/ui/notice.tsx";
import type { StoredRecord } from "#lib/records/contract.ts";
import { MarkdownText } from "./markdown.tsx";
import { updatePages } from "./queries.ts";

/** A tenant's published release notes, public. */
export function Updates({
  tenantId,
  publishableKey,
}: {
  tenantId: string;
  publishableKey: string;
}) {
  const list = useList(updatePages(tenantId, publishableKey));
  return (
    <ListBody
      list={list}
      skeleton={<PartSkeleton label="Loading updates" bars={["h-6 w-1/2", "h-24 w-full"]} />}
      bare={
        <Notice icon={Megaphone} title="No updates yet">
          Release notes appear here once they're published.
        </Notice>
      }
    >
      {() => (
        <div className="flex flex-col">
          {list.items.map((note) => (
            <Note key={note.id} note={note} />
          ))}
        </div>
      )}
    </ListBody>
  );
}

function Note({ note }: { note: StoredRecord }) {
  const { timeZone } = usePreferences();
  const at = textOf(note.published_at) ?? note.created_at;
  const [title, version, body] = [textOf(note.title), textOf(note.version), textOf(note.body)];
  return (
    <article
      aria-labelledby={note.id}
      className="flex flex-col gap-3 border-b border-line py-8 last:border-0"
    >
      <div className="flex flex-col gap-1">
        <p className="flex items-center gap-2 text-sm text-muted">
          <time dateTime={at}>{formatDay(at, timeZone)}</time>
          {version && (
            <span className="rounded-sm border border-line px-1.5 font-mono text-xs">
              {version}
            </span>
          )}
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
