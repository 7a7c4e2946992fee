"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { PartSkeleton } from "#components/kit/list-skeleton.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { ProblemNote } from "#components/kit/problem-note.tsx";
import { SelectField } from "#components/ui/select-field.tsx";
import type { SpecialDay } from "#lib/calendars/contract.ts";
import { AddDaysDialog } from "./add-days-dialog.tsx";
import { holidayCountries, holidaysOf } from "./queries.ts";

const YEARS_AHEAD = 3;

/** `today`: YYYY-MM-DD. */
type Props = {
  known: readonly SpecialDay[];
  today: string;
  onAdd: (days: SpecialDay[]) => void;
  onClose: () => void;
};

/**
 * Proposes the holidays of a country or region. Public ones ahead are chosen from the start; bank
 * holidays and past ones are not.
 */
export function HolidaysDialog({ known, today, onAdd, onClose }: Props) {
  const tenant = useTenantId();
  const thisYear = Number(today.slice(0, 4));
  const [place, setPlace] = useState({ country: "", region: "", year: String(thisYear) });
  const [dropped, setDropped] = useState<ReadonlySet<string> | null>(null);
  const countries = useQuery(holidayCountries(tenant));
  const found = useQuery(holidaysOf(tenant, place));
  const change = (part: Partial<typeof place>) => {
    setPlace((before) => ({ ...before, ...part }));
    setDropped(null);
  };
  const days = found.data?.items.map(({ date, name }) => ({ date, name, intervals: [] }));
  const atFirst = new Set(
    found.data?.items
      .filter(({ kind, date }) => kind === "bank" || date < today)
      .map(({ date }) => date),
  );
  const regions = found.data?.regions ?? [];
  const error = countries.error ?? found.error;
  return (
    <AddDaysDialog
      title="Add holidays"
      description="Choose the days on which you are closed. Nothing changes until you save the calendar."
      days={days}
      known={known}
      dropped={dropped ?? atFirst}
      onDrop={setDropped}
      onAdd={onAdd}
      onClose={onClose}
    >
      <div className="grid gap-3 sm:grid-cols-3">
        <SelectField
          label="Country"
          value={place.country}
          onChange={({ target }) => change({ country: target.value, region: "" })}
        >
          <option value="">Choose a country</option>
          {countries.data?.items.map(({ code, name }) => (
            <option key={code} value={code}>
              {name}
            </option>
          ))}
        </SelectField>
        <SelectField
          label="Region"
          value={place.region}
          disabled={regions.length === 0}
          onChange={({ target }) => change({ region: target.value })}
        >
          <option value="">Whole country</option>
          {regions.map(({ code, name }) => (
            <option key={code} value={code}>
              {name}
            </option>
          ))}
        </SelectField>
        <SelectField
          label="Year"
          value={place.year}
          onChange={({ target }) => change({ year: target.value })}
        >
          {Array.from({ length: YEARS_AHEAD + 1 }, (_, n) => String(thisYear + n)).map((year) => (
            <option key={year} value={year}>
              {year}
            </option>
          ))}
        </SelectField>
      </div>
      {error && <ProblemNote error={error} />}
      {place.country !== "" && found.isPending && (
        <PartSkeleton label="Loading holidays" bars={["h-10 w-full", "h-10 w-5/6", "h-10 w-2/3"]} />
      )}
      {days?.length === 0 && (
        <p className="text-sm text-muted">No holidays are known for this year.</p>
      )}
    </AddDaysDialog>
  );
}
