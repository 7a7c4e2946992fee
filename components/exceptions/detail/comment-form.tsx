"use client";

import { useQuery } from "@tanstack/react-query";
import { useLayoutEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { callApi } from "#components/api-client.ts";
import { useTenantId } from "#components/kit/member.tsx";
import { useMutate } from "#components/kit/use-mutate.ts";
import { Person, personName } from "#components/people/person.tsx";
import { membersQuery } from "#components/people/queries.ts";
import { Button } from "#components/ui/button.tsx";
import { focusOnMount } from "#components/ui/focus-on-mount.ts";
import { Keys } from "#components/ui/keys.tsx";
import { FIELD } from "#components/ui/text-field.tsx";
import { useListbox } from "#components/ui/use-listbox.ts";
import { createExceptionCommentContract } from "#lib/exceptions/comments/contract.ts";
import { EXCEPTION_COMMENTS } from "#lib/wire/facts.gen.ts";
import { commentsKey } from "../queries.ts";
import { mentionAt, withReferences } from "./mentions.ts";

const SHOWN_PEOPLE = 5;

/** Unsent comments by exception, so that opening another one loses nothing. */
const drafts = new Map<string, string>();

/** A comment with mentions: @ lists the members. ⌘Enter sends. */
export function CommentForm({ id, onClose }: { id: string; onClose: () => void }) {
  const tenant = useTenantId();
  const field = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => focusOnMount(field.current), []);
  const [text, setText] = useState(drafts.get(id) ?? "");
  const [caret, setCaret] = useState<number | null>(null);
  const members = useQuery(membersQuery(tenant)).data?.items ?? [];
  const people = members.map(({ user }) => user);
  const mention = caret === null ? null : mentionAt(text, caret);
  const found = mention
    ? people
        .filter((user) => personName(user).toLowerCase().startsWith(mention.query.toLowerCase()))
        .slice(0, SHOWN_PEOPLE)
    : [];
  const listbox = useListbox({ label: "Comment", keys: found, onChoose: (user) => insert(user) });
  const {
    role: _role,
    "aria-expanded": _expanded,
    onKeyDown: onListKey,
    ...described
  } = listbox.field;

  const { start, isPending } = useMutate({
    send: (body: string, idempotencyKey) =>
      callApi(createExceptionCommentContract, {
        tenant,
        params: { id },
        body: { body },
        idempotencyKey,
      }),
    onDone: () => {
      if (drafts.get(id) === text) drafts.delete(id);
      onClose();
    },
    // In a toast, because the user may have opened the next exception.
    failed: "Couldn't comment",
    stale: commentsKey(tenant, id),
  });

  function change(next: string): void {
    setText(next);
    if (next === "") drafts.delete(id);
    else drafts.set(id, next);
  }

  function insert(user: string): void {
    if (!mention || caret === null) return;
    const before = `${text.slice(0, mention.from)}@${personName(user)} `;
    // Synchronously, so that the next typed character goes after the name.
    flushSync(() => {
      change(before + text.slice(caret));
      setCaret(before.length);
    });
    field.current?.setSelectionRange(before.length, before.length);
  }

  function send(): void {
    const body = withReferences(text.trim(), people);
    if (body !== "" && !isPending) start(body);
  }

  return (
    <form
      aria-label="Comment"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
      className="flex flex-col gap-2"
    >
      {found.length > 0 && (
        <div
          {...listbox.list}
          role="listbox"
          aria-label="Members"
          className="flex flex-col rounded-md border border-line bg-raised p-1"
        >
          {found.map((user) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keyboard
            <div
              key={user}
              role="option"
              tabIndex={-1}
              {...listbox.option(user)}
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => insert(user)}
              className="flex min-h-8 cursor-pointer items-center rounded-sm px-2 text-sm aria-selected:bg-hover max-sm:min-h-11"
            >
              <Person reference={user} />
            </div>
          ))}
        </div>
      )}
      <textarea
        {...described}
        {...(found.length === 0 && {
          "aria-controls": undefined,
          "aria-activedescendant": undefined,
        })}
        ref={field}
        readOnly={isPending}
        placeholder="Write a comment. Use @ to mention someone."
        maxLength={EXCEPTION_COMMENTS.body.max}
        value={text}
        onChange={({ target }) => {
          listbox.begin();
          change(target.value);
          setCaret(target.selectionStart);
        }}
        onSelect={({ currentTarget }) => setCaret(currentTarget.selectionStart)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) {
            event.preventDefault();
            send();
          } else if (event.key === "Escape") {
            event.preventDefault();
            if (found.length > 0) setCaret(null);
            else onClose();
          } else if (found.length > 0 && event.key === "Tab" && listbox.active) {
            event.preventDefault();
            insert(listbox.active);
          } else if (found.length > 0) onListKey(event);
        }}
        className={`${FIELD} field-sizing-content max-h-48 min-h-20 py-2 text-sm`}
      />
      <div className="flex items-center gap-2">
        <Button
          type="submit"
          size="sm"
          variant="primary"
          disabled={isPending || text.trim() === ""}
        >
          {isPending ? "Sending…" : "Comment"}
        </Button>
        <span className="max-sm:hidden">
          <Keys keys={["⌘", "Enter"]} />
        </span>
        <Button size="sm" variant="ghost" className="ml-auto" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </form>
  );
}
