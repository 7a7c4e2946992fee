"use client";

import { ArrowDownWideNarrow, ListChecks } from "lucide-react";
import { FilterBar, FilterMenu } from "#components/kit/filters.tsx";
import { Button, buttonClass } from "#components/ui/button.tsx";
import { Keys } from "#components/ui/keys.tsx";
import { Menu, MenuChoice } from "#components/ui/menu.tsx";
import { SearchField } from "#components/ui/search-field.tsx";
import type { OpenLine } from "#lib/matching/workbench/contract.ts";
import type { WorkbenchSearch } from "./search.ts";

const SUGGESTED = [
  ["true", "With one"],
  ["false", "Without"],
] as const;
const SORTS = [
  { value: "value_date", label: "Oldest first" },
  { value: "amount", label: "Most money first" },
] as const;

/** The filters apply to both lists. */
export function WorkbenchFilters({
  search: { q, sort, suggested, currency },
  onChange,
  onClear,
  lines,
  onBulk,
}: {
  search: WorkbenchSearch;
  onChange: (change: Partial<WorkbenchSearch>) => void;
  onClear: (() => void) | false;
  lines: readonly OpenLine[];
  /** Accepts many suggestions at once; false if that isn't allowed. */
  onBulk: (() => void) | false;
}) {
  const currencies = [
    ...new Set([...(currency ? [currency] : []), ...lines.map((line) => line.currency)]),
  ].sort();
  return (
    <div className="-mb-4">
      <FilterBar onClear={onClear}>
        <div className="flex min-w-0 max-sm:w-full sm:w-80">
          <SearchField
            label="Find by amount or text"
            value={q ?? ""}
            onChange={(typed) => onChange({ q: typed || null })}
          />
        </div>
        <FilterMenu
          name="Suggestion"
          value={suggested}
          options={SUGGESTED}
          onChange={(chosen) => onChange({ suggested: chosen })}
        />
        {currencies.length > 1 && (
          <FilterMenu
            name="Currency"
            value={currency}
            options={currencies.map((item) => [item, item] as const)}
            onChange={(chosen) => onChange({ currency: chosen })}
          />
        )}
        <Menu
          label="Order"
          triggerClass={buttonClass({ size: "sm" })}
          trigger={
            <>
              <ArrowDownWideNarrow aria-hidden className="size-4 text-muted" />
              <span className="sr-only">Order: </span>
              {SORTS.find(({ value }) => value === sort)?.label}
            </>
          }
        >
          <MenuChoice
            label="Order"
            value={sort}
            options={SORTS}
            onChange={(chosen) => onChange({ sort: chosen })}
          />
        </Menu>
        {onBulk && (
          <Button size="sm" onClick={onBulk}>
            <ListChecks aria-hidden className="size-4 text-muted" />
            Accept in bulk
            <span className="max-md:hidden">
              <Keys keys={["B"]} />
            </span>
          </Button>
        )}
      </FilterBar>
    </div>
  );
}
