"use client";

import { type InfiniteData, useInfiniteQuery } from "@tanstack/react-query";
import { PartSkeleton } from "#components/kit/list-skeleton.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { ProblemNotice } from "#components/kit/problem-notice.tsx";
import { RequestLink } from "#components/kit/request-link.tsx";
import { namesakes } from "#components/people/namesakes.ts";
import { personName } from "#components/people/person.tsx";
import { Button } from "#components/ui/button.tsx";
import { Time } from "#components/ui/time.tsx";
import type { Comment } from "#lib/exceptions/comments/contract.ts";
import { commentPages, historyPages } from "../queries.ts";
import { type Entry, mergeStreams } from "./activity.ts";
import { type Change, ChangedFields } from "./changed-fields.tsx";
import { partsOf } from "./mentions.ts";

/** The changes of an exception and its comments, newest first. */
export function ExceptionActivity({ id, currency }: { id: string; currency: string | null }) {
  const tenant = useTenantId();
  const history = useInfiniteQuery(historyPages(tenant, id));
  const comments = useInfiniteQuery(commentPages(tenant, id));
  const error = history.data ? comments.error : history.error;
  if (!history.data || !comments.data)
    return error ? (
      <ProblemNotice
        error={error}
        onRetry={() => Promise.all([history.refetch(), comments.refetch()])}
      />
    ) : (
      <PartSkeleton label="Loading the activity" bars={["h-5 w-3/4", "h-5 w-1/2"]} />
    );
  const { entries, hasOlder } = mergeStreams(
    streamOf(history.data, changed),
    streamOf(comments.data, commentEntry),
  );
  const isFetching = history.isFetchingNextPage || comments.isFetchingNextPage;
  const whichOf = namesakes(entries.map(({ by }) => by));
  return (
    <>
      <ol aria-label="Activity" className="flex flex-col gap-4 text-sm">
        {entries.map(({ key, at, by, entry }) => (
          <li key={key} className="border-l-2 border-line pl-3">
            <p className="text-muted">
              <span className="font-medium text-ink">{personName(by.actor)}</span>{" "}
              {whichOf(by) && <>({whichOf(by)}) </>}
              {"body" in entry
                ? "commented"
                : entry.kind === "created"
                  ? "created this exception"
                  : "changed"}{" "}
              · <Time iso={at} />
              {"changes" in entry && entry.request_id !== null && (
                <>
                  {" · "}
                  <RequestLink id={entry.request_id} at={at} />
                </>
              )}
            </p>
            {"body" in entry ? (
              <Body text={entry.body} />
            ) : (
              entry.kind === "updated" && (
                <ChangedFields changes={entry.changes} currency={currency} />
              )
            )}
          </li>
        ))}
      </ol>
      {hasOlder && (
        <Button
          size="sm"
          className="mt-2 self-start"
          disabled={isFetching}
          onClick={() => {
            if (history.hasNextPage) history.fetchNextPage();
            if (comments.hasNextPage) comments.fetchNextPage();
          }}
        >
          {isFetching ? "Loading…" : "Show older activity"}
        </Button>
      )}
    </>
  );
}

function Body({ text }: { text: string }) {
  return (
    <p className="mt-1 wrap-break-word whitespace-pre-wrap">
      {partsOf(text).map((part, at) =>
        "text" in part ? (
          part.text
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text that never changes
          <span key={at} className="rounded-sm bg-accent-soft px-1 font-medium text-accent-text">
            @{personName(part.user)}
          </span>
        ),
      )}
    </p>
  );
}

type Pages<Item> = InfiniteData<{ items: Item[]; next_cursor: string | null }>;

function streamOf<Item>({ pages }: Pages<Item>, entryOf: (item: Item) => Entry<Change | Comment>) {
  return {
    entries: pages.flatMap(({ items }) => items.map(entryOf)),
    isWhole: pages.at(-1)?.next_cursor === null,
  };
}

function changed(entry: Change): Entry<Change> {
  return {
    key: `${entry.at} ${entry.request_id} ${Object.keys(entry.changes)}`,
    at: entry.at,
    by: entry,
    entry,
  };
}

function commentEntry(entry: Comment): Entry<Comment> {
  return { key: entry.id, at: entry.created_at, by: { ...entry, actor: entry.created_by }, entry };
}
