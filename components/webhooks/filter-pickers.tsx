"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { type ReactNode, useState } from "react";
import { ChosenList } from "#components/kit/chosen-list.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { newestReconciliations } from "#components/kit/reconciliation-names.ts";
import { ResourceName } from "#components/kit/resource-name.tsx";
import { sourcesNamed } from "#components/kit/source-names.ts";
import { buttonClass } from "#components/ui/button.tsx";
import { Combobox } from "#components/ui/combobox.tsx";
import { WEBHOOK_FILTERED_MAX } from "#lib/webhooks/contract.ts";
import { periodOf } from "#lib/wire/period-name.ts";

type Picked = { ids: readonly string[]; onChange: (ids: string[]) => void };
type Item = { id: string; name: string; note: string };

/** Sources, chosen by name. */
export function SourcesFilter(picked: Picked) {
  const [search, setSearch] = useState("");
  const { data, error, isPending, isPlaceholderData } = useQuery({
    ...sourcesNamed(useTenantId(), search),
    placeholderData: keepPreviousData,
  });
  return (
    <Picker
      {...picked}
      label="Sources"
      add="Add a source"
      search={search}
      onSearch={setSearch}
      items={(data?.items ?? []).map(({ id, name, currency }) => ({ id, name, note: currency }))}
      isSettling={isPending || isPlaceholderData}
      failure={error && "Couldn't load the sources."}
    />
  );
}

/** Reconciliations among the newest, chosen by name. */
export function ReconciliationsFilter(picked: Picked) {
  const [search, setSearch] = useState("");
  const { data, error, isPending } = useQuery(newestReconciliations(useTenantId()));
  const words = search.toLowerCase().split(/\s+/);
  const items = (data?.items ?? []).map((item) => ({
    id: item.id,
    name: item.name,
    note: periodOf(item),
  }));
  return (
    <Picker
      {...picked}
      label="Reconciliations"
      add="Add a reconciliation"
      search={search}
      onSearch={setSearch}
      items={items.filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)))}
      isSettling={isPending}
      failure={error && "Couldn't load the reconciliations."}
    />
  );
}

function Picker({
  label,
  add,
  ids,
  onChange,
  search,
  onSearch,
  items,
  isSettling,
  failure,
}: Picked & {
  label: string;
  add: string;
  search: string;
  onSearch: (search: string) => void;
  items: readonly Item[];
  isSettling: boolean;
  failure: ReactNode;
}) {
  const listed = items.filter(({ id }) => !ids.includes(id));
  return (
    <div className="flex min-w-0 flex-col items-start gap-1.5">
      <span className="text-sm font-medium">{label}</span>
      <ChosenList
        label={label}
        ids={ids}
        nameOf={(id) => <ResourceName id={id} />}
        onRemove={(id) => onChange(ids.filter((other) => other !== id))}
      />
      <Combobox
        label={add}
        placeholder="Search by name"
        search={search}
        onSearch={onSearch}
        disabled={ids.length >= WEBHOOK_FILTERED_MAX}
        triggerClass={buttonClass({ size: "sm" })}
        trigger={
          <>
            <Plus aria-hidden className="size-4 text-muted" />
            {add}
          </>
        }
        options={listed.map(({ id, name, note }) => ({
          key: id,
          value: id,
          label: (
            <span className="min-w-0">
              <span className="block truncate">{name}</span>
              <span className="block truncate text-xs text-muted">{note}</span>
            </span>
          ),
        }))}
        onChoose={(id) => onChange([...ids, id])}
        settling={isSettling}
        note={
          failure ||
          (listed.length > 0 || isSettling
            ? undefined
            : search
              ? `No results for "${search}"`
              : "Nothing to choose from.")
        }
      />
    </div>
  );
}
