"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { SelectField } from "#components/ui/select-field.tsx";
import { calendarsQuery } from "./calendar-names.ts";
import { useTenantId } from "./member.tsx";

/** What a severity has until it names a calendar of its own. */
const SAME = "same";

type Props = {
  label: string;
  labelHidden?: boolean;
  /** A calendar's ID; empty: none; undefined: the same as the others, where `same` says so. */
  value: string | undefined;
  same?: string;
  /** What no calendar means. */
  none?: string;
  error: string | undefined;
  onChange: (calendar: string | undefined) => void;
};

/** One of the tenant's calendars, or none. */
export function CalendarField({
  label,
  labelHidden = false,
  value,
  same,
  none = "Round the clock",
  error,
  onChange,
}: Props) {
  const tenant = useTenantId();
  const { data } = useQuery(calendarsQuery(tenant));
  const calendars = data?.items ?? [];
  const isKnown = !value || calendars.some((calendar) => calendar.id === value);
  return (
    <SelectField
      label={label}
      labelHidden={labelHidden}
      className="h-9 max-w-sm max-sm:h-11"
      value={value ?? SAME}
      error={error}
      hint={
        !same &&
        data?.items.length === 0 && (
          <>
            No calendars yet.{" "}
            <Link
              href={`/${tenant}/calendars`}
              className="text-accent-text underline underline-offset-2"
            >
              Go to calendars
            </Link>
          </>
        )
      }
      onChange={({ target }) => onChange(target.value === SAME ? undefined : target.value)}
    >
      {same && <option value={SAME}>{same}</option>}
      <option value="">{none}</option>
      {!isKnown && <option value={value}>{value}</option>}
      {calendars.map(({ id, name, time_zone }) => (
        <option key={id} value={id}>
          {name} ({time_zone})
        </option>
      ))}
    </SelectField>
  );
}
