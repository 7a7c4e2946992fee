"use client";

import { ChevronDown, Search, X } from "lucide-react";
import { Button, buttonClass } from "#components/ui/button.tsx";
import { Menu, MenuChoice } from "#components/ui/menu.tsx";
import { API_KEY_STATUSES } from "#lib/api-keys/contract.ts";
import { type ApiKeySearch, withoutSecret } from "./search.ts";
import { STATUSES } from "./words.ts";

const ANY = "any";

export function KeyFilters({ search, onChange }: { search: ApiKeySearch; onChange: (change: Partial<ApiKeySearch>) => void }) {
  return (
    <search className="flex flex-wrap items-center gap-2">
      <div className="relative w-full sm:w-72">
        <Search aria-hidden className="pointer-events-none absolute top-1/2 left-2.5 size-4 -translate-y-1/2 text-muted" />
        <input
          type="search"
          aria-label="Search by name or id"
          placeholder="Name or id"
          value={search.q ?? ""}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => onChange({ q: withoutSecret(event.target.value) || null })}
          className="h-9 w-full rounded-md border border-field bg-surface pr-2 pl-8 text-sm text-ink placeholder:text-muted max-sm:text-lg sm:h-8"
        />
      </div>
      <Menu
        label="Status"
        triggerClass={buttonClass({ variant: search.status === null ? "secondary" : "selected", size: "sm" })}
        trigger={
          <>
            <span className="sr-only">Filter by</span> {search.status === null ? "Status" : `Status: ${STATUSES[search.status].word}`}
            <ChevronDown aria-hidden className="size-3.5 opacity-70" />
          </>
        }
      >
        <MenuChoice
          label="Status"
          value={search.status ?? ANY}
          options={[{ value: ANY, label: "Any" }, ...API_KEY_STATUSES.map((status) => ({ value: status, label: STATUSES[status].word }))]}
          onChange={(status) => onChange({ status: API_KEY_STATUSES.find((known) => known === status) ?? null })}
        />
      </Menu>
      {(search.q !== null || search.status !== null) && (
        <Button variant="ghost" size="sm" onClick={() => onChange({ q: null, status: null })}>
          <X aria-hidden className="size-4" />
          Clear filters
        </Button>
      )}
    </search>
  );
}
