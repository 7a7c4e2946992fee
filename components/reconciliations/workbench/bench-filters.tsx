"use client";

import { FilterBar, FilterMenu } from "#components/kit/filters.tsx";
import { SearchField } from "#components/ui/search-field.tsx";
import type { OpenLine } from "#lib/matching/work/contract.ts";
import type { WorkbenchSearch } from "./search.ts";

const SUGGESTED = [
  ["true", "With one"],
  ["false", "Without"],
] as const;
const SORTS = [
  ["value_date", "Oldest first"],
  ["amount", "Most money first"],
] as const;

/** Both lists follow the same filters. */
export function BenchFilters({
  search: { q, sort, suggested, currency },
  onChange,
  onClear,
  lines,
}: {
  search: WorkbenchSearch;
  onChange: (change: Partial<WorkbenchSearch>) => void;
  onClear: (() => void) | false;
  lines: readonly OpenLine[];
}) {
  const currencies = [...new Set([...(currency ? [currency] : []), ...lines.map((line) => line.currency)])].sort();
  return (
    <div className="-mb-4">
      <FilterBar onClear={onClear}>
        <SearchField label="Find by amount or text" value={q ?? ""} onChange={(typed) => onChange({ q: typed || null })} />
        <FilterMenu name="Suggestion" value={suggested} options={SUGGESTED} onChange={(chosen) => onChange({ suggested: chosen })} />
        {currencies.length > 1 && (
          <FilterMenu
            name="Currency"
            value={currency}
            options={currencies.map((one) => [one, one] as const)}
            onChange={(chosen) => onChange({ currency: chosen })}
          />
        )}
        <FilterMenu name="Order" value={sort} options={SORTS} onChange={(chosen) => onChange({ sort: chosen ?? "value_date" })} />
      </FilterBar>
    </div>
  );
}
