"use client";

import type { Problems } from "#components/kit/problems.ts";
import type { Fields } from "#components/kit/use-form.ts";
import { TextField } from "#components/ui/text-field.tsx";
import { urlFault } from "#lib/webhooks/contract.ts";
import type { EventKind } from "#lib/wire/event-kinds.ts";
import { WEBHOOKS } from "#lib/wire/facts.gen.ts";
import { EventPicker } from "./event-picker.tsx";
import {
  filtersOf,
  headersOf,
  limitOf,
  missingInOptions,
  type OptionsDraft,
  oauthOf,
} from "./options-draft.ts";
import { WebhookOptions } from "./webhook-options.tsx";

export type WebhookDraft = OptionsDraft & {
  url: string;
  description: string;
  events: EventKind[];
};

/** A draft as a request body. */
export function fieldsOf(draft: WebhookDraft) {
  return {
    url: draft.url.trim(),
    description: draft.description.trim() || null,
    events: draft.events,
    filters: filtersOf(draft.filters),
    headers: headersOf(draft.headers),
    max_per_minute: limitOf(draft.max_per_minute),
    oauth: oauthOf(draft.oauth),
  };
}

/**
 * Validates everything that the browser can, so that all problems show at once. The server checks
 * where the URL leads.
 */
export function missingIn(draft: WebhookDraft): Problems {
  const { url, events } = draft;
  const fault = url.trim() === "" ? "Enter your receiver's URL." : urlFault(url.trim());
  return {
    ...(fault !== null && { url: fault }),
    ...(events.length === 0 && { events: "Select at least one event." }),
    ...missingInOptions(draft),
  };
}

/** A webhook's fields, except its secret. */
export function WebhookFields({ form }: { form: Fields<WebhookDraft> }) {
  const { draft, change, problem, text } = form;
  return (
    <>
      <TextField
        label="URL"
        type="url"
        inputMode="url"
        maxLength={WEBHOOKS.url.max}
        placeholder="https://hooks.example.com/events"
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
      <WebhookOptions form={form as Parameters<typeof WebhookOptions>[0]["form"]} />
    </>
  );
}
