"use client";

import { ArrowDownNarrowWide, ChevronDown, X } from "lucide-react";
import { Button, buttonClass } from "#components/ui/button.tsx";
import { Menu, MenuChoice } from "#components/ui/menu.tsx";
import { SearchField } from "#components/ui/search-field.tsx";
import { OPEN_STATUSES, SEVERITIES, SLA_SORTS } from "#lib/exceptions/contract.ts";
import { assigneeName } from "./assignee.tsx";
import { type BoardSearch, NO_FILTERS } from "./search.ts";
import { RISK_WORDS, SEVERITY_WORDS, SORT_WORDS, STATUS_WORDS } from "./words.tsx";

const ANY = "any";

type Change = (change: Partial<BoardSearch>) => void;

/** `people`: whom the board knows of, as references. `self`: the reader. */
export function BoardFilters({
  search,
  onChange,
  people,
  self,
}: {
  search: BoardSearch;
  onChange: Change;
  people: string[];
  self: string;
}) {
  const filtered = Object.keys(NO_FILTERS).some((name) => search[name as keyof typeof NO_FILTERS] !== null);
  return (
    <search className="flex gap-2 max-sm:flex-col sm:flex-wrap">
      <SearchField label="Search exceptions" value={search.q ?? ""} onChange={(q) => onChange({ q: q || null })} />
      <div className="scrollbar-none relative -my-1 flex items-center gap-2 py-1 max-sm:-mx-4 max-sm:overflow-x-auto max-sm:px-4 sm:grow sm:flex-wrap">
        <Filter
          name="Risk"
          value={search.breach_risk}
          options={Object.entries(RISK_WORDS)}
          onChange={(breach_risk) => onChange({ breach_risk: breach_risk as BoardSearch["breach_risk"] })}
        />
        <Filter
          name="Severity"
          value={search.severity}
          options={SEVERITIES.map((severity) => [severity, SEVERITY_WORDS[severity]])}
          onChange={(severity) => onChange({ severity: severity as BoardSearch["severity"] })}
        />
        <Filter
          name="Assignee"
          value={search.assigned_to}
          options={people.map((reference) => [reference, nameOf(reference, self)])}
          onChange={(assigned_to) => onChange({ assigned_to })}
        />
        <Filter
          name="Status"
          value={search.status}
          options={OPEN_STATUSES.map((status) => [status, STATUS_WORDS[status]])}
          onChange={(status) => onChange({ status: status as BoardSearch["status"] })}
        />
        {filtered && (
          <Button variant="ghost" size="sm" onClick={() => onChange(NO_FILTERS)}>
            <X aria-hidden className="size-4" />
            Clear filters
          </Button>
        )}
        <div className="max-sm:order-first sm:ml-auto">
          <Menu
            align="end"
            label="Sort by"
            triggerClass={buttonClass({ size: "sm" })}
            trigger={
              <>
                <ArrowDownNarrowWide aria-hidden className="size-4 text-muted" />
                <span className="sr-only">Sort by</span> {SORT_WORDS[search.sortBy]}
                <ChevronDown aria-hidden className="size-3.5 opacity-70" />
              </>
            }
          >
            <MenuChoice
              label="Sort by"
              value={search.sortBy}
              options={SLA_SORTS.map((sort) => ({ value: sort, label: SORT_WORDS[sort] }))}
              onChange={(sortBy) => onChange({ sortBy })}
            />
          </Menu>
        </div>
      </div>
    </search>
  );
}

function Filter({
  name,
  value,
  options,
  onChange,
}: {
  name: string;
  value: string | null;
  options: (readonly [value: string, word: string])[];
  onChange: (value: string | null) => void;
}) {
  const word = value && (options.find(([option]) => option === value)?.[1] ?? assigneeName(value));
  return (
    <Menu
      label={name}
      triggerClass={buttonClass({ variant: value === null ? "secondary" : "selected", size: "sm" })}
      trigger={
        <>
          <span className="sr-only">Filter by</span> {word === null ? name : `${name}: ${word}`}
          <ChevronDown aria-hidden className="size-3.5 opacity-70" />
        </>
      }
    >
      <MenuChoice
        label={name}
        value={value ?? ANY}
        options={[{ value: ANY, label: "Any" }, ...options.map(([option, label]) => ({ value: option, label }))]}
        onChange={(chosen) => onChange(chosen === ANY ? null : chosen)}
      />
    </Menu>
  );
}

function nameOf(reference: string, self: string): string {
  return reference === self ? `${assigneeName(reference)} (you)` : assigneeName(reference);
}
