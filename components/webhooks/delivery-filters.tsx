"use client";

import { ChevronDown, X } from "lucide-react";
import { useState } from "react";
import { Button, buttonClass } from "#components/ui/button.tsx";
import { Menu, MenuChoice } from "#components/ui/menu.tsx";
import { EVENT_KINDS } from "#lib/events/contract.ts";
import { DELIVERY_STATUSES } from "#lib/webhooks/deliveries/contract.ts";
import { type DeliveryFilter, EVENT_ID, NO_FILTER } from "./search.ts";
import { DELIVERY_STATES } from "./words.ts";

const ANY = "any";

export function DeliveryFilters({ search, onChange }: { search: DeliveryFilter; onChange: (change: Partial<DeliveryFilter>) => void }) {
  const { status, type, event_id } = search;
  return (
    <search className="flex flex-wrap items-center gap-2">
      <Filter
        label="State"
        value={status}
        options={DELIVERY_STATUSES.map((value) => ({ value, label: DELIVERY_STATES[value].word }))}
        onChange={(chosen) => onChange({ status: chosen })}
      />
      <Filter
        label="Event"
        value={type}
        options={EVENT_KINDS.map((value) => ({ value, label: value }))}
        onChange={(chosen) => onChange({ type: chosen })}
      />
      <EventId key={event_id} value={event_id} onChange={(id) => onChange({ event_id: id })} />
      {(status !== null || type !== null || event_id !== null) && (
        <Button variant="ghost" size="sm" onClick={() => onChange(NO_FILTER)}>
          <X aria-hidden className="size-4" />
          Clear filters
        </Button>
      )}
    </search>
  );
}

/** Looks for the webhook-id that a receiver has in its log, once it is whole. */
function EventId({ value, onChange }: { value: string | null; onChange: (id: string | null) => void }) {
  const [typed, setTyped] = useState(value ?? "");
  const whole = typed === "" || EVENT_ID.test(typed);
  return (
    <input
      type="search"
      aria-label="Search by webhook-id"
      aria-invalid={!whole}
      placeholder="webhook-id"
      title={whole ? undefined : "A webhook-id begins with evt_."}
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

function Filter<Value extends string>({
  label,
  value,
  options,
  onChange,
}: {
  label: string;
  value: Value | null;
  options: { value: Value; label: string }[];
  onChange: (value: Value | null) => void;
}) {
  const chosen = options.find((option) => option.value === value);
  return (
    <Menu
      label={label}
      triggerClass={buttonClass({ variant: chosen ? "selected" : "secondary", size: "sm" })}
      trigger={
        <>
          <span className="sr-only">Filter by</span> {chosen ? `${label}: ${chosen.label}` : label}
          <ChevronDown aria-hidden className="size-3.5 opacity-70" />
        </>
      }
    >
      <MenuChoice
        label={label}
        value={value ?? ANY}
        options={[{ value: ANY, label: "Any" }, ...options]}
        onChange={(given) => onChange(options.find((option) => option.value === given)?.value ?? null)}
      />
    </Menu>
  );
}
