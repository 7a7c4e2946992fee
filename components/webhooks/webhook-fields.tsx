"use client";

import { TextField } from "#components/ui/text-field.tsx";
import type { Problems } from "#components/ui/use-problems.ts";
import type { EventKind } from "#lib/events/contract.ts";
import { WEBHOOKS } from "#lib/wire/facts.gen.ts";
import { EventPicker } from "./event-picker.tsx";

export type WebhookDraft = { url: string; description: string; events: EventKind[] };

/** A draft as a body's fields. */
export function fieldsOf({ url, description, events }: WebhookDraft) {
  return { url: url.trim(), description: description.trim() || null, events };
}

/** What is wrong before anything is sent; the rest the server knows better. */
export function missingIn({ url, events }: WebhookDraft): Problems {
  return {
    ...(url.trim() === "" && { url: "Give the URL of your receiver." }),
    ...(events.length === 0 && { events: "Choose at least one kind of event." }),
  };
}

/** What a webhook is, beside its secret. */
export function WebhookFields({
  draft,
  onChange,
  problems,
}: {
  draft: WebhookDraft;
  onChange: (change: Partial<WebhookDraft>) => void;
  problems: Problems;
}) {
  return (
    <>
      <TextField
        label="URL"
        name="url"
        type="url"
        inputMode="url"
        value={draft.url}
        maxLength={WEBHOOKS.url.most}
        placeholder="https://hooks.example.com/tieout"
        hint="https, at a public address. It gets a POST for each event."
        autoComplete="off"
        spellCheck={false}
        error={problems.url}
        onChange={(event) => onChange({ url: event.target.value })}
        required
      />
      <TextField
        label="Description (optional)"
        name="description"
        value={draft.description}
        maxLength={WEBHOOKS.description.most}
        placeholder="Pages the reconciliation desk"
        autoComplete="off"
        error={problems.description}
        onChange={(event) => onChange({ description: event.target.value })}
      />
      <EventPicker events={draft.events} onChange={(events) => onChange({ events })} error={problems.events} />
    </>
  );
}
