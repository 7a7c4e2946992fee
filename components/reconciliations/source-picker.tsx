"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { ChevronDown } from "lucide-react";
import { useId, useState } from "react";
import { useTenantId } from "#components/kit/member.tsx";
import { SOURCE_KIND_LABELS } from "#components/kit/source-kinds.ts";
import { sourcesNamed } from "#components/kit/source-names.ts";
import { classes } from "#components/ui/classes.ts";
import { Combobox } from "#components/ui/combobox.tsx";
import { pluralize } from "#components/ui/pluralize.ts";
import { PrefetchLink } from "#components/ui/prefetch-link.tsx";
import type { Source } from "#lib/sources/contract.ts";

/** Picks a source to compare, searched by name. */
export function SourcePicker({
  label,
  value,
  error,
  onChange,
}: {
  label: string;
  value: string;
  error: string | undefined;
  onChange: (source: Source) => void;
}) {
  const id = useId();
  const tenant = useTenantId();
  const [search, setSearch] = useState("");
  const [chosen, setChosen] = useState<Source | null>(null);
  const {
    data,
    error: failure,
    isPending,
    isPlaceholderData,
  } = useQuery({ ...sourcesNamed(tenant, search), placeholderData: keepPreviousData });
  const visible =
    chosen?.id === value ? chosen : (data?.items.find((source) => source.id === value) ?? null);
  const none = data?.items.length === 0;
  return (
    <div className="flex flex-col gap-1.5">
      <span id={id} className="text-sm font-medium">
        {label}
      </span>
      <Combobox
        label={label}
        placeholder="Find a source"
        search={search}
        onSearch={setSearch}
        triggerClass={classes(
          "flex h-10 w-full items-center justify-between gap-2 rounded-md border bg-surface",
          "px-3 text-left text-ink max-sm:text-lg",
          error ? "border-danger" : "border-field",
        )}
        trigger={
          <>
            <span className={classes("truncate", !visible && "text-muted")}>
              <span className="sr-only">{label}: </span>
              {visible?.name ?? "Choose a source"}
            </span>
            <ChevronDown aria-hidden className="size-4 shrink-0 text-muted" />
          </>
        }
        options={(data?.items ?? []).map((source) => ({
          key: source.id,
          value: source,
          current: source.id === value,
          label: (
            <span className="min-w-0">
              <span className="block truncate">{source.name}</span>
              <span className="block truncate text-xs text-muted">
                {SOURCE_KIND_LABELS[source.kind]} · {source.currency} ·{" "}
                {pluralize(source.line_count, "line")}
              </span>
            </span>
          ),
        }))}
        onChoose={(source) => {
          setChosen(source);
          onChange(source);
        }}
        settling={isPending || isPlaceholderData}
        note={
          failure
            ? "Couldn't load the sources."
            : none && !isPlaceholderData
              ? search
                ? `No results for "${search}"`
                : "No sources yet"
              : undefined
        }
      />
      {none && search === "" && (
        <p className="text-sm text-muted">
          <PrefetchLink href={`/${tenant}/sources`} className="text-accent-text hover:underline">
            Create a source
          </PrefetchLink>{" "}
          and import its lines first.
        </p>
      )}
      <p className="text-sm text-danger-text empty:hidden">{error}</p>
    </div>
  );
}
