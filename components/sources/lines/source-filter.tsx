"use client";

import { useQuery } from "@tanstack/react-query";
import { useDeferredValue, useState } from "react";
import { FilterTrigger } from "#components/kit/filters.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { sourcesNamed } from "#components/kit/source-names.ts";
import { buttonClass } from "#components/ui/button.tsx";
import { Combobox } from "#components/ui/combobox.tsx";
import { sourceById } from "../queries.ts";

/** One source, or any. */
export function SourceFilter({
  value,
  onChange,
}: {
  value: string | null;
  onChange: (source: string | null) => void;
}) {
  const tenantId = useTenantId();
  const [typed, setTyped] = useState("");
  const q = useDeferredValue(typed);
  const { data: chosen } = useQuery({
    ...sourceById(tenantId, value ?? ""),
    enabled: value !== null,
  });
  const { data: found, isPending } = useQuery(sourcesNamed(tenantId, q));
  const options = (found?.items ?? []).map(({ id, name }) => ({
    key: id,
    value: id as string | null,
    label: name,
    current: id === value,
  }));
  return (
    <Combobox
      label="Source"
      placeholder="Search sources"
      trigger={<FilterTrigger>{value ? `Source: ${chosen?.name ?? "…"}` : "Source"}</FilterTrigger>}
      triggerClass={buttonClass({ variant: value ? "selected" : "secondary", size: "sm" })}
      search={typed}
      onSearch={setTyped}
      options={
        typed === ""
          ? [{ key: "any", value: null, label: "Any", current: value === null }, ...options]
          : options
      }
      onChoose={onChange}
      settling={isPending || q !== typed}
      note={
        isPending
          ? "Searching…"
          : found?.items.length === 0 && typed !== "" && `No results for "${typed}".`
      }
    />
  );
}
