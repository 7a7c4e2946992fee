"use client";

import { FilterBar, FilterDay, FilterMenu } from "#components/kit/filters.tsx";
import { RECONCILIATION_STATUSES } from "#lib/reconciliations/contract.ts";
import { STATUS_LABELS } from "./labels.tsx";
import type { ReconciliationSearch } from "./search.ts";

type Filters = Omit<ReconciliationSearch, "new">;
type Props = {
  search: Filters;
  onChange: (change: Partial<Filters>) => void;
  onClear: (() => void) | false;
};

export function ReconciliationFilters({
  search: { status, period_from, period_to },
  onChange,
  onClear,
}: Props) {
  return (
    <FilterBar onClear={onClear}>
      <FilterMenu
        name="Status"
        value={status}
        options={RECONCILIATION_STATUSES.map((value) => [value, STATUS_LABELS[value]] as const)}
        onChange={(chosen) => onChange({ status: chosen })}
      />
      <div className="flex min-w-0 items-center gap-2 max-sm:order-last max-sm:w-full">
        <FilterDay
          label="Period from"
          value={period_from}
          onChange={(day) => onChange({ period_from: day })}
        />
        <FilterDay
          label="Period to"
          value={period_to}
          onChange={(day) => onChange({ period_to: day })}
        />
      </div>
    </FilterBar>
  );
}
