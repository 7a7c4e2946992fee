"use client";

import { X } from "lucide-react";
import { ClearFilters, FilterMenu } from "#components/kit/filters.tsx";
import { AmountFilter, DateFilter } from "#components/kit/range-filters.tsx";
import { Button } from "#components/ui/button.tsx";
import { SearchField } from "#components/ui/search-field.tsx";
import { LINE_FILTER_STATES } from "#lib/lines/contract.ts";
import { LINE_STATE_LABELS } from "./labels.tsx";
import type { LineSearch } from "./search.ts";
import { SourceFilter } from "./source-filter.tsx";

const FILTER_LABELS = { ...LINE_STATE_LABELS, outstanding: "Outstanding" };

type Props = {
  search: LineSearch;
  onChange: (change: Partial<LineSearch>) => void;
  onClear: (() => void) | false;
  /** The currency of the entered amounts. */
  currency: string;
};

export function LineFilters({ search, onChange, onClear, currency }: Props) {
  return (
    <search className="flex gap-2 pb-4 max-sm:flex-col sm:flex-wrap">
      <SearchField label="Search lines" value={search.q} onChange={(q) => onChange({ q })} />
      <div className="scrollbar-none relative -my-1 flex items-center gap-2 py-1 max-sm:-mx-4 max-sm:overflow-x-auto max-sm:px-4 sm:grow sm:flex-wrap">
        <SourceFilter
          value={search.source_id}
          onChange={(source_id) => onChange({ source_id, import_id: null })}
        />
        {search.reconciliation_id && (
          <FilterMenu
            name="Side"
            value={search.side}
            options={[
              ["left", "Left"],
              ["right", "Right"],
            ]}
            onChange={(side) => onChange({ side })}
          />
        )}
        <FilterMenu
          name="State"
          value={search.state}
          options={LINE_FILTER_STATES.map((state) => [state, FILTER_LABELS[state]] as const)}
          onChange={(state) => onChange({ state })}
        />
        <DateFilter search={search} onChange={onChange} />
        <AmountFilter search={search} onChange={onChange} currency={currency} />
        {search.currency && (
          <Button
            variant="selected"
            size="sm"
            onClick={() => onChange({ currency: null })}
            aria-label={`Only ${search.currency}: show every currency`}
          >
            {search.currency}
            <X aria-hidden className="size-3.5" />
          </Button>
        )}
        {search.import_id && (
          <Button
            variant="selected"
            size="sm"
            onClick={() => onChange({ import_id: null })}
            aria-label="Show lines of every import"
          >
            From one import
            <X aria-hidden className="size-3.5" />
          </Button>
        )}
        {onClear && <ClearFilters onClear={onClear} />}
      </div>
    </search>
  );
}
