"use client";

import { ArrowLeftRight } from "lucide-react";
import {
  FilterBar,
  FilterChip,
  FilterDay,
  FilterMenu,
  PeriodMenu,
} from "#components/kit/filters.tsx";
import { ResourceName } from "#components/kit/resource-name.tsx";
import { personName } from "#components/people/person.tsx";
import { Button } from "#components/ui/button.tsx";
import { SearchField } from "#components/ui/search-field.tsx";
import { actorOf, typedActor } from "./actor.ts";
import { KINDS } from "./labels.ts";
import { type EventSearch, PERIODS, type Period } from "./search.ts";

const PERIOD_LABELS: Record<Period, string> = {
  today: "Today",
  "7d": "Last 7 days",
  "30d": "Last 30 days",
  custom: "Custom range",
  all: "All time",
};

type Props = {
  search: EventSearch;
  onChange: (change: Partial<EventSearch>) => void;
  onClear: (() => void) | false;
};

export function EventFilters({ search, onChange, onClear }: Props) {
  return (
    <FilterBar onClear={onClear}>
      <PeriodMenu
        value={search.period}
        periods={PERIODS}
        labels={PERIOD_LABELS}
        onChange={(period) =>
          onChange({ period, ...(period !== "custom" && { from: null, to: null }) })
        }
      />
      {search.period === "custom" && (
        <div className="flex min-w-0 items-center gap-2 max-sm:order-last max-sm:w-full">
          <FilterDay label="From" value={search.from} onChange={(from) => onChange({ from })} />
          <FilterDay label="To" value={search.to} onChange={(to) => onChange({ to })} />
        </div>
      )}
      <FilterMenu
        name="Kind"
        value={search.type}
        options={KINDS.map(({ type, name }) => [type, name] as const)}
        onChange={(type) => onChange({ type })}
      />
      <Button
        size="sm"
        variant={search.across ? "selected" : "secondary"}
        aria-pressed={search.across}
        onClick={() => onChange({ across: !search.across })}
      >
        <ArrowLeftRight aria-hidden className="size-4" />
        Cross-tenant
      </Button>
      <div className="flex min-w-0 max-sm:w-full">
        <SearchField
          label="Search names, IDs and reasons"
          placeholder="Search"
          value={search.q}
          onChange={(q) => onChange({ q })}
        />
      </div>
      <div className="flex min-w-0 max-sm:w-full">
        <SearchField
          label="Actor: a user name, api_key:… or service_role"
          placeholder="Actor"
          value={typedActor(search.actor)}
          onChange={(text) => onChange({ actor: actorOf(text) })}
        />
      </div>
      {search.target !== null && (
        <FilterChip onRemove={() => onChange({ target: null })}>
          About <TargetName target={search.target} />
        </FilterChip>
      )}
    </FilterBar>
  );
}

/** A person, a tenant or a resource. */
function TargetName({ target }: { target: string }) {
  return /^[a-z]{3}_/.test(target) ? <ResourceName id={target} /> : personName(target);
}
