"use client";

import { Trash2 } from "lucide-react";
import { type ReactNode, useId } from "react";
import { Button } from "#components/ui/button.tsx";
import { timeOf } from "#components/ui/typed-time.ts";
import type { Interval } from "#lib/calendars/contract.ts";
import { endsNextDay } from "./hours.ts";

const FIELD =
  "h-9 w-20 rounded-md border border-field bg-surface px-2 text-center text-sm text-ink " +
  "tabular-nums max-sm:h-11 max-sm:text-lg aria-invalid:border-danger";

type Props<Shown extends Interval> = {
  /** The day and place, for screen readers: "Monday, interval 1". */
  label: string;
  /** The day after the one it starts on. */
  nextDay: string;
  slot: Shown;
  errors: { from: string | undefined; to: string | undefined };
  onChange: (slot: Shown) => void;
  onRemove: () => void;
  /** Further buttons. */
  children?: ReactNode;
};

/** The start and end as typed; they are normalised when the field loses focus. */
export function IntervalFields<Shown extends Interval>({
  label,
  nextDay,
  slot,
  errors,
  onChange,
  onRemove,
  children,
}: Props<Shown>) {
  const id = useId();
  const [from, to] = [timeOf(slot.from), timeOf(slot.to)];
  const field = (end: "from" | "to", name: string) => (
    <input
      aria-label={`${label}, ${name}`}
      inputMode="text"
      autoComplete="off"
      maxLength={5}
      value={slot[end]}
      aria-invalid={Boolean(errors[end])}
      aria-describedby={`${id}-error`}
      onChange={({ target }) => onChange({ ...slot, [end]: target.value })}
      onBlur={() => onChange({ ...slot, [end]: timeOf(slot[end]) ?? slot[end] })}
      className={FIELD}
    />
  );
  return (
    <div className="flex flex-col gap-1">
      <div className="flex flex-wrap items-center gap-1.5">
        {field("from", "from")}
        <span aria-hidden className="text-muted">
          –
        </span>
        {field("to", "to")}
        <Button variant="ghost" size="icon" aria-label={`Remove ${label}`} onClick={onRemove}>
          <Trash2 aria-hidden className="size-4" />
        </Button>
        {children}
        {from && to && from !== to && endsNextDay({ from, to }) && (
          <span className="text-xs text-muted">until {nextDay}</span>
        )}
      </div>
      <p id={`${id}-error`} className="text-sm text-danger-text empty:hidden">
        {errors.from ?? errors.to}
      </p>
    </div>
  );
}
