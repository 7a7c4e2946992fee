"use client";

import { ArrowDownNarrowWide, ChevronDown } from "lucide-react";
import { ClearFilters, FilterMenu } from "#components/kit/filters.tsx";
import { useMember } from "#components/kit/member.tsx";
import { personName } from "#components/people/person.tsx";
import { buttonClass } from "#components/ui/button.tsx";
import { Menu, MenuChoice } from "#components/ui/menu.tsx";
import { SearchField } from "#components/ui/search-field.tsx";
import { OPEN_STATUSES, SEVERITIES, SLA_SORTS } from "#lib/exceptions/contract.ts";
import type { BoardSearch } from "./search.ts";
import { RISK_WORDS, SEVERITY_WORDS, SORT_WORDS, STATUS_WORDS } from "./words.tsx";

/** `people`: the assignees on the board, as references. */
type Props = {
  search: BoardSearch;
  onChange: (change: Partial<BoardSearch>) => void;
  onClear: (() => void) | false;
  people: string[];
};

const RISKS = Object.entries(RISK_WORDS) as [keyof typeof RISK_WORDS, string][];

export function BoardFilters({ search, onChange, onClear, people }: Props) {
  const { self } = useMember();
  return (
    <search className="flex gap-2 max-sm:flex-col sm:flex-wrap">
      <SearchField label="Search exceptions" value={search.q ?? ""} onChange={(q) => onChange({ q: q || null })} />
      <div className="scrollbar-none relative -my-1 flex items-center gap-2 py-1 max-sm:-mx-4 max-sm:overflow-x-auto max-sm:px-4 sm:grow sm:flex-wrap">
        <FilterMenu name="Risk" value={search.breach_risk} options={RISKS} onChange={(breach_risk) => onChange({ breach_risk })} />
        <FilterMenu
          name="Severity"
          value={search.severity}
          options={SEVERITIES.map((severity) => [severity, SEVERITY_WORDS[severity]] as const)}
          onChange={(severity) => onChange({ severity })}
        />
        <FilterMenu
          name="Assignee"
          value={search.assigned_to}
          options={people.map((one) => [one, one === self ? `${personName(one)} (you)` : personName(one)] as const)}
          onChange={(assigned_to) => onChange({ assigned_to })}
        />
        <FilterMenu
          name="Status"
          value={search.status}
          options={OPEN_STATUSES.map((status) => [status, STATUS_WORDS[status]] as const)}
          onChange={(status) => onChange({ status })}
        />
        {onClear && <ClearFilters onClear={onClear} />}
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
