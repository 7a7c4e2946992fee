"use client";

import { Search } from "lucide-react";
import { FilterBar, FilterMenu } from "#components/kit/filters.tsx";
import { API_KEY_STATUSES } from "#lib/api-keys/contract.ts";
import { STATUSES } from "./labels.ts";
import { type ApiKeySearch, withoutSecret } from "./search.ts";

type Props = {
  search: Pick<ApiKeySearch, "q" | "status">;
  onChange: (change: Partial<Pick<ApiKeySearch, "q" | "status">>) => void;
  onClear: (() => void) | false;
};

export function KeyFilters({ search, onChange, onClear }: Props) {
  return (
    <FilterBar onClear={onClear}>
      <div className="relative w-full sm:w-72">
        <Search
          aria-hidden
          className="pointer-events-none absolute top-1/2 left-2.5 size-4 -translate-y-1/2 text-muted"
        />
        <input
          type="search"
          aria-label="Search by name or ID"
          placeholder="Name or ID"
          value={search.q ?? ""}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => onChange({ q: withoutSecret(event.target.value) || null })}
          className="h-9 w-full rounded-md border border-field bg-surface pr-2 pl-8 text-sm text-ink placeholder:text-muted max-sm:text-lg sm:h-8"
        />
      </div>
      <FilterMenu
        name="Status"
        value={search.status}
        options={API_KEY_STATUSES.map((status) => [status, STATUSES[status].label] as const)}
        onChange={(status) => onChange({ status })}
      />
    </FilterBar>
  );
}
