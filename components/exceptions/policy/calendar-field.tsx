"use client";

import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import { useTenantId } from "#components/kit/member.tsx";
import { calendarsQuery } from "./queries.ts";

type Props = { value: string; error: string | undefined; onChange: (calendar: string) => void };

/** One of the tenant's calendars, or none. */
export function CalendarField({ value, error, onChange }: Props) {
  const id = useId();
  const { data } = useQuery(calendarsQuery(useTenantId()));
  const calendars = data?.items ?? [];
  const isKnown = value === "" || calendars.some((calendar) => calendar.id === value);
  return (
    <div className="flex flex-col gap-1.5">
      <label htmlFor={id} className="sr-only">
        Calendar
      </label>
      <select
        id={id}
        value={value}
        aria-invalid={Boolean(error)}
        aria-describedby={`${id}-hint ${id}-error`}
        onChange={({ target }) => onChange(target.value)}
        className="h-9 w-full max-w-sm rounded-md border border-field bg-surface px-2 text-sm text-ink max-sm:h-11 max-sm:text-lg aria-invalid:border-danger"
      >
        <option value="">Round the clock</option>
        {!isKnown && <option value={value}>{value}</option>}
        {calendars.map(({ id: calendar, name, time_zone }) => (
          <option key={calendar} value={calendar}>
            {name} ({time_zone})
          </option>
        ))}
      </select>
      <p id={`${id}-hint`} className="text-sm text-muted empty:hidden">
        {data && calendars.length === 0 ? "No calendars yet. Admins create them with the API." : ""}
      </p>
      <p id={`${id}-error`} className="text-sm text-danger-text empty:hidden">
        {error}
      </p>
    </div>
  );
}
