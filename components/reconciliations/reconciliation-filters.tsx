"use client";

import { ChevronDown, X } from "lucide-react";
import { Button, buttonClass } from "#components/ui/button.tsx";
import { Menu, MenuChoice } from "#components/ui/menu.tsx";
import { RECONCILIATION_STATUSES } from "#lib/reconciliations/contract.ts";
import { NO_FILTERS, type ReconciliationSearch } from "./search.ts";
import { STATUS_WORDS } from "./words.tsx";

const ANY = "any";

type Filters = Omit<ReconciliationSearch, "new">;

export function ReconciliationFilters({ search, onChange }: { search: Filters; onChange: (change: Partial<Filters>) => void }) {
  const { status, period_from, period_to } = search;
  const filtered = status !== null || period_from !== null || period_to !== null;
  return (
    <div className="flex flex-wrap items-center gap-2 pb-4">
      <Menu
        label="Status"
        triggerClass={buttonClass({ variant: status === null ? "secondary" : "selected", size: "sm" })}
        trigger={
          <>
            <span className="sr-only">Filter by</span> {status === null ? "Status" : `Status: ${STATUS_WORDS[status]}`}
            <ChevronDown aria-hidden className="size-3.5 opacity-70" />
          </>
        }
      >
        <MenuChoice
          label="Status"
          value={status ?? ANY}
          options={[{ value: ANY, label: "Any" }, ...RECONCILIATION_STATUSES.map((value) => ({ value, label: STATUS_WORDS[value] }))]}
          onChange={(chosen) => onChange({ status: chosen === ANY ? null : chosen })}
        />
      </Menu>
      <div className="flex min-w-0 items-center gap-2 max-sm:order-last max-sm:w-full">
        <Day label="Period from" value={period_from} onChange={(day) => onChange({ period_from: day })} />
        <Day label="Period to" value={period_to} onChange={(day) => onChange({ period_to: day })} />
      </div>
      {filtered && (
        <Button variant="ghost" size="sm" onClick={() => onChange(NO_FILTERS)}>
          <X aria-hidden className="size-4" />
          Clear filters
        </Button>
      )}
    </div>
  );
}

function Day({ label, value, onChange }: { label: string; value: string | null; onChange: (value: string | null) => void }) {
  return (
    <label className="flex min-w-0 items-center gap-2 text-sm text-muted max-sm:flex-1 max-sm:flex-col max-sm:items-start max-sm:gap-1">
      {label}
      <input
        type="date"
        min="1970-01-01"
        max="2999-12-31"
        value={value ?? ""}
        onChange={({ target }) => onChange(target.value || null)}
        className="h-8 min-w-0 rounded-md border border-field bg-surface px-2 text-sm text-ink max-sm:h-9 max-sm:w-full"
      />
    </label>
  );
}
