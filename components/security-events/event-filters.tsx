"use client";

import { ArrowLeftRight, ChevronDown, X } from "lucide-react";
import { type ReactNode, useId } from "react";
import { Button, buttonClass } from "#components/ui/button.tsx";
import { Menu, MenuChoice } from "#components/ui/menu.tsx";
import { type EventSearch, NO_FILTERS, PERIODS, type Period } from "./search.ts";
import { KINDS } from "./words.ts";

const ANY = "any";
const PERIOD_WORDS: Record<Period, string> = {
  today: "Today",
  "7d": "Last 7 days",
  "30d": "Last 30 days",
  custom: "Custom range",
  all: "All time",
};
const FIELD = "h-9 rounded-md border border-field bg-surface px-2.5 text-sm text-ink placeholder:text-muted max-sm:text-lg sm:h-8";

type Change = (change: Partial<EventSearch>) => void;

export function EventFilters({ search, onChange }: { search: EventSearch; onChange: Change }) {
  const kind = KINDS.find(({ type }) => type === search.type)?.name ?? search.type;
  const isFiltered = search.type !== null || search.actor !== null || search.target !== null || search.across;
  return (
    <search className="flex flex-wrap items-center gap-2">
      <Menu label="Period" triggerClass={buttonClass({ size: "sm" })} trigger={<Trigger>{PERIOD_WORDS[search.period]}</Trigger>}>
        <MenuChoice
          label="Period"
          value={search.period}
          options={PERIODS.map((value) => ({ value, label: PERIOD_WORDS[value] }))}
          onChange={(period) => onChange({ period, ...(period !== "custom" && { from: null, to: null }) })}
        />
      </Menu>
      {search.period === "custom" && (
        <>
          <DayField label="From" value={search.from} onChange={(from) => onChange({ from })} />
          <DayField label="To" value={search.to} onChange={(to) => onChange({ to })} />
        </>
      )}
      <Menu
        label="Kind"
        triggerClass={buttonClass({ variant: search.type === null ? "secondary" : "selected", size: "sm" })}
        trigger={<Trigger>{kind === null ? "Kind" : `Kind: ${kind}`}</Trigger>}
      >
        <MenuChoice
          label="Kind"
          value={search.type ?? ANY}
          options={[{ value: ANY, label: "Any" }, ...KINDS.map(({ type, name }) => ({ value: type, label: name }))]}
          onChange={(type) => onChange({ type: type === ANY ? null : type })}
        />
      </Menu>
      <Button
        size="sm"
        variant={search.across ? "selected" : "secondary"}
        aria-pressed={search.across}
        onClick={() => onChange({ across: !search.across })}
      >
        <ArrowLeftRight aria-hidden className="size-4" />
        Cross-tenant
      </Button>
      <ActorField key={search.actor} value={search.actor} onChange={(actor) => onChange({ actor })} />
      {search.target !== null && (
        <Button size="sm" variant="selected" onClick={() => onChange({ target: null })}>
          <span className="max-w-48 truncate">About {search.target}</span>
          <X aria-hidden className="size-4" />
          <span className="sr-only">, show all</span>
        </Button>
      )}
      {isFiltered && (
        <Button variant="ghost" size="sm" onClick={() => onChange(NO_FILTERS)}>
          <X aria-hidden className="size-4" />
          Clear filters
        </Button>
      )}
    </search>
  );
}

function Trigger({ children }: { children: ReactNode }) {
  return (
    <>
      <span className="sr-only">Filter by</span> {children}
      <ChevronDown aria-hidden className="size-3.5 opacity-70" />
    </>
  );
}

/** Asked when it is whole: who is meant is known by the whole name. */
function ActorField({ value, onChange }: { value: string | null; onChange: (actor: string | null) => void }) {
  return (
    <form
      className="max-sm:w-full"
      onSubmit={(event) => {
        event.preventDefault();
        onChange(actorOf(new FormData(event.currentTarget).get("actor")?.toString() ?? ""));
      }}
    >
      <input
        type="search"
        name="actor"
        aria-label="Who: a user's name, or api_key:… or service_role"
        placeholder="Who"
        defaultValue={value ?? ""}
        autoComplete="off"
        spellCheck={false}
        onBlur={(event) => {
          const actor = actorOf(event.target.value);
          if (actor !== value) onChange(actor);
        }}
        className={`w-full sm:w-44 ${FIELD}`}
      />
    </form>
  );
}

const KNOWN = ["service_role", "publishable_key", "system", "operator", "anonymous"];

function actorOf(text: string): string | null {
  const name = text.trim();
  if (name === "") return null;
  return name.includes(":") || KNOWN.includes(name) ? name : `user:${name}`;
}

function DayField({ label, value, onChange }: { label: string; value: string | null; onChange: (day: string | null) => void }) {
  const id = useId();
  return (
    <span className="flex items-center gap-1.5 text-sm">
      <label htmlFor={id} className="text-muted">
        {label}
      </label>
      <input
        id={id}
        type="date"
        min="1970-01-01"
        max="2999-12-31"
        value={value ?? ""}
        onChange={(event) => onChange(event.target.value || null)}
        className={FIELD}
      />
    </span>
  );
}
