"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { SelectField } from "#components/ui/select-field.tsx";
import { calendarsQuery } from "./calendar-names.ts";
import { useTenantId } from "./member.tsx";

/** The option of a severity without its own calendar. */
const SAME = "same";

type Props = {
  label: string;
  labelHidden?: boolean;
  /**
   * A calendar's ID. Empty: no calendar. Undefined: the same as the others, if `same` names that
   * option.
   */
  value: string | undefined;
  same?: string;
  /** The label of having no calendar. */
  none?: string;
  error: string | undefined;
  onChange: (calendar: string | undefined) => void;
};

/** Picks one of the tenant's calendars, or none. */
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
