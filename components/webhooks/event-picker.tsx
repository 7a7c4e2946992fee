"use client";

import { useId } from "react";
import { EVENTS } from "#lib/events/contract.ts";
import { EVENT_KINDS, type EventKind } from "#lib/wire/event-kinds.ts";
import { EVENT_GROUPS } from "./labels.ts";

/** Picks event types, each with a description. */
export function EventPicker({
  events,
  onChange,
  error,
}: {
  events: readonly EventKind[];
  onChange: (events: EventKind[]) => void;
  error: string | undefined;
}) {
  const id = useId();
  const set = (kinds: readonly EventKind[], on: boolean) =>
    onChange(EVENT_KINDS.filter((known) => (kinds.includes(known) ? on : events.includes(known))));
  return (
    <fieldset aria-describedby={`${id}-error`} className="flex min-w-0 flex-col gap-3">
      <legend className="mb-1.5 text-sm font-medium">Events</legend>
      <p id={`${id}-error`} className="text-sm text-danger-text empty:hidden">
        {error}
      </p>
      {EVENT_GROUPS.map(({ name, kinds }) => {
        const chosen = kinds.filter((kind) => events.includes(kind)).length;
        return (
          <fieldset key={name} className="min-w-0 rounded-md border border-line">
            <legend className="sr-only">{name}</legend>
            <label className="flex min-h-10 items-center gap-2.5 border-b border-line bg-canvas px-3 text-sm font-medium">
              <input
                type="checkbox"
                checked={chosen === kinds.length}
                ref={(box) => {
                  if (box) box.indeterminate = chosen > 0 && chosen < kinds.length;
                }}
                aria-label={`All of ${name}`}
                onChange={(event) => set(kinds, event.target.checked)}
                className="size-4.5 accent-accent"
              />
              {name}
            </label>
            {kinds.map((kind) => (
              <label key={kind} className="flex items-start gap-2.5 px-3 py-1.5 hover:bg-hover">
                <input
                  type="checkbox"
                  checked={events.includes(kind)}
                  aria-invalid={Boolean(error)}
                  aria-describedby={`${id}-${kind}`}
                  aria-label={kind}
                  onChange={(event) => set([kind], event.target.checked)}
                  className="mt-0.5 size-4.5 shrink-0 accent-accent"
                />
                <span className="min-w-0">
                  <code className="block font-mono text-xs leading-5 wrap-break-word">{kind}</code>
                  <span id={`${id}-${kind}`} className="block text-sm text-muted">
                    {EVENTS[kind].summary}.
                  </span>
                </span>
              </label>
            ))}
          </fieldset>
        );
      })}
    </fieldset>
  );
}
