"use client";

import type { Problems } from "#components/kit/problems.ts";
import type { Fields } from "#components/kit/use-form.ts";
import { TextField } from "#components/ui/text-field.tsx";
import type { EventKind } from "#lib/events/contract.ts";
import { urlFault } from "#lib/webhooks/contract.ts";
import { WEBHOOKS } from "#lib/wire/facts.gen.ts";
import { EventPicker } from "./event-picker.tsx";

export type WebhookDraft = { url: string; description: string; events: EventKind[] };

/** A draft as a request body. */
export function fieldsOf({ url, description, events }: WebhookDraft) {
  return { url: url.trim(), description: description.trim() || null, events };
}

/**
 * Validates everything that the browser can, so that all problems show at once. The server checks
 * where the URL leads.
 */
export function missingIn({ url, events }: WebhookDraft): Problems {
  const fault = url.trim() === "" ? "Enter your receiver's URL." : urlFault(url.trim());
  return {
    ...(fault !== null && { url: fault }),
    ...(events.length === 0 && { events: "Select at least one event." }),
  };
}

/** A webhook's fields, except its secret. */
export function WebhookFields({
  form: { draft, change, problem, text },
}: {
  form: Fields<WebhookDraft>;
}) {
  return (
    <>
      <TextField
        label="URL"
        type="url"
        inputMode="url"
        maxLength={WEBHOOKS.url.max}
        placeholder="https://hooks.example.com/tieout"
        hint="An https URL at a public address. Each event is sent as a POST."
        autoComplete="off"
        spellCheck={false}
        {...text("url")}
        required
      />
      <TextField
        label="Description (optional)"
        maxLength={WEBHOOKS.description.max}
        placeholder="Pages the reconciliation desk"
        autoComplete="off"
        {...text("description")}
      />
      <EventPicker
        events={draft.events}
        onChange={(events) => change({ events })}
        error={problem("events")}
      />
    </>
  );
}
