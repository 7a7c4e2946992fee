"use client";

import { ChevronDown } from "lucide-react";
import { useId, useMemo, useState } from "react";
import { zoneName } from "#components/preferences/time-zone.ts";
import { buttonClass } from "#components/ui/button.tsx";
import { Combobox } from "#components/ui/combobox.tsx";

const SHOWN = 50;

/** An IANA time zone, searched by the words of its name. */
export function TimeZoneField({
  hint,
  value,
  error,
  onChange,
}: {
  hint?: string;
  value: string;
  error: string | undefined;
  onChange: (zone: string) => void;
}) {
  const id = useId();
  const [search, setSearch] = useState("");
  const found = useMemo(() => zonesNamed(search), [search]);
  const options = found.slice(0, SHOWN).map((zone) => ({
    key: zone,
    value: zone,
    current: zone === value,
    label: (
      <>
        <span className="truncate">{formatZone(zone)}</span>
        <span className="ml-auto shrink-0 text-muted tabular-nums">{offsetOf(zone)}</span>
      </>
    ),
  }));
  return (
    <div className="flex flex-col gap-1.5">
      <span className="text-sm font-medium">Time zone</span>
      <Combobox
        label="Time zone"
        placeholder="Search: Berlin, Tokyo, UTC…"
        search={search}
        onSearch={setSearch}
        options={options}
        onChoose={onChange}
        note={
          found.length === 0
            ? `No time zone for "${search}".`
            : found.length > SHOWN && `${found.length - SHOWN} more. Type to narrow the list.`
        }
        triggerClass={`${buttonClass()} w-fit`}
        trigger={
          <>
            <span className="sr-only">Time zone: </span>
            {value === "" ? "Choose a time zone" : formatZone(value)}
            <ChevronDown aria-hidden className="size-3.5 text-muted" />
          </>
        }
      />
      <p className="text-sm text-muted empty:hidden">{hint}</p>
      <p id={`${id}-error`} className="text-sm text-danger-text empty:hidden">
        {error}
      </p>
    </div>
  );
}

function zonesNamed(search: string): string[] {
  const words = search
    .toLowerCase()
    .split(/[\s/_]+/)
    .filter((word) => word !== "");
  const zones = ["UTC", ...Intl.supportedValuesOf("timeZone").filter((zone) => zone !== "UTC")];
  return zones.filter((zone) =>
    words.every((word) => formatZone(zone).toLowerCase().includes(word)),
  );
}

/** "Europe / Berlin" */
function formatZone(zone: string): string {
  return zoneName(zone).replaceAll("/", " / ");
}

/** "GMT+1", as of now. */
function offsetOf(zone: string): string {
  const parts = new Intl.DateTimeFormat("en", {
    timeZone: zone,
    timeZoneName: "shortOffset",
  }).formatToParts();
  return parts.find(({ type }) => type === "timeZoneName")?.value ?? "";
}
