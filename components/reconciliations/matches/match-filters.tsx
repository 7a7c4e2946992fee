"use client";

import { ClearFilters, FilterMenu } from "#components/kit/filters.tsx";
import { AmountFilter, DateFilter } from "#components/kit/range-filters.tsx";
import { SearchField } from "#components/ui/search-field.tsx";
import { MATCH_STATES, SHAPES } from "#lib/matching/contract.ts";
import { describeMethod, MATCH_STATE_LABELS, SHAPE_LABELS } from "./labels.tsx";
import type { MatchSearch } from "./search.ts";

type Props = {
  search: MatchSearch;
  onChange: (change: Partial<MatchSearch>) => void;
  onClear: (() => void) | false;
  /** Names of the pair's rules. */
  rules: readonly string[];
  /** The currency of the entered amounts. */
  currency: string;
};

export function MatchFilters({ search, onChange, onClear, rules, currency }: Props) {
  return (
    <search className="scrollbar-none flex gap-2 pb-4 max-sm:flex-col sm:flex-wrap short:pb-2 short:sm:-m-1 short:sm:flex-nowrap short:sm:overflow-x-auto short:sm:p-1 short:sm:*:shrink-0">
      <SearchField label="Search matches" value={search.q} onChange={(q) => onChange({ q })} />
      <div className="scrollbar-none relative -my-1 flex items-center gap-2 py-1 max-sm:-mx-4 max-sm:overflow-x-auto max-sm:px-4 sm:grow sm:flex-wrap short:sm:flex-nowrap">
        <FilterMenu
          name="State"
          value={search.state}
          options={MATCH_STATES.map((state) => [state, MATCH_STATE_LABELS[state]] as const)}
          onChange={(state) => onChange({ state })}
        />
        <FilterMenu
          name="Rule"
          value={search.method}
          options={[...rules, "manual"].map((method) => [method, describeMethod(method)] as const)}
          onChange={(method) => onChange({ method })}
        />
        <FilterMenu
          name="Lines"
          value={search.shape}
          options={SHAPES.map((shape) => [shape, SHAPE_LABELS[shape]] as const)}
          onChange={(shape) => onChange({ shape })}
        />
        <FilterMenu
          name="Evidence"
          value={search.missing_evidence ? "missing" : null}
          options={[["missing", "Required and missing"]]}
          onChange={(value) => onChange({ missing_evidence: value && true })}
        />
        <DateFilter search={search} onChange={onChange} />
        <AmountFilter search={search} onChange={onChange} currency={currency} />
        {onClear && <ClearFilters onClear={onClear} />}
      </div>
    </search>
  );
}
