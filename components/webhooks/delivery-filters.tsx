"use client";

import { useState } from "react";
import { FilterBar, FilterChip, FilterMenu } from "#components/kit/filters.tsx";
import { Time } from "#components/ui/time.tsx";
import { DELIVERY_STATUSES } from "#lib/webhooks/deliveries/contract.ts";
import { EVENT_KINDS } from "#lib/wire/event-kinds.ts";
import { DELIVERY_STATES } from "./labels.ts";
import { type DeliveryFilter, EVENT_ID } from "./search.ts";

type Props = {
  search: DeliveryFilter;
  onChange: (change: Partial<DeliveryFilter>) => void;
  onClear: (() => void) | false;
};

export function DeliveryFilters({
  search: { status, type, event_id, since, until },
  onChange,
  onClear,
}: Props) {
  return (
    <FilterBar onClear={onClear}>
      <FilterMenu
        name="State"
        value={status}
        options={DELIVERY_STATUSES.map((value) => [value, DELIVERY_STATES[value].label] as const)}
        onChange={(chosen) => onChange({ status: chosen })}
      />
      <FilterMenu
        name="Event"
        value={type}
        options={EVENT_KINDS.map((value) => [value, value] as const)}
        onChange={(chosen) => onChange({ type: chosen })}
      />
      <CreatedChip
        since={since}
        until={until}
        onRemove={() => onChange({ since: null, until: null })}
      />
      <EventId key={event_id} value={event_id} onChange={(id) => onChange({ event_id: id })} />
    </FilterBar>
  );
}

type Created = { since: string | null; until: string | null; onRemove: () => void };

/** The range of creation times chosen in a chart. */
export function CreatedChip({ since, until, onRemove }: Created) {
  if (since === null && until === null) return null;
  return (
    <FilterChip onRemove={onRemove}>
      Created {since !== null && (until === null ? "since " : "from ")}
      {since !== null && <Time iso={since} />}
      {until !== null && (since === null ? "before " : " to ")}
      {until !== null && <Time iso={until} />}
    </FilterChip>
  );
}

/** Searches by webhook-id, once it's complete. */
export function EventId({
  value,
  onChange,
}: {
  value: string | null;
  onChange: (id: string | null) => void;
}) {
  const [typed, setTyped] = useState(value ?? "");
  const isComplete = typed === "" || EVENT_ID.test(typed);
  return (
    <input
      type="search"
      aria-label="Search by webhook-id"
      aria-invalid={!isComplete}
      placeholder="webhook-id"
      title={isComplete ? undefined : "A webhook-id starts with evt_."}
      value={typed}
      autoComplete="off"
      spellCheck={false}
      onChange={(event) => {
        const id = event.target.value.trim();
        setTyped(id);
        if (id === "") onChange(null);
        else if (EVENT_ID.test(id)) onChange(id);
      }}
      className="h-9 w-full rounded-md border border-field bg-surface px-3 font-mono text-xs text-ink placeholder:text-muted aria-invalid:border-danger max-sm:text-lg sm:h-8 sm:w-64"
    />
  );
}
