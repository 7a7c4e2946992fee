"use client";

import { type ReactNode, useId } from "react";
import { type Span, UNITS, type Unit } from "./span.ts";

const FIELD =
  "h-9 rounded-md border border-field bg-surface text-sm text-ink max-sm:h-11 max-sm:text-lg " +
  "aria-invalid:border-danger";

/** A duration: a number and its unit. */
export function SpanField({
  label,
  labelHidden = false,
  labelAbove = false,
  span,
  units = UNITS,
  error,
  onChange,
  children,
}: {
  label: ReactNode;
  labelHidden?: boolean;
  labelAbove?: boolean;
  span: Span;
  units?: readonly Unit[];
  error?: string;
  onChange: (span: Span) => void;
  /** Shown after the unit. */
  children?: ReactNode;
}) {
  const id = useId();
  return (
    <div className="flex flex-col gap-1">
      <div
        className={`flex gap-x-3 gap-y-1.5 ${labelAbove ? "flex-col" : "flex-wrap items-center"}`}
      >
        <label htmlFor={id} className={labelHidden ? "sr-only" : "w-28 text-sm font-medium"}>
          {label}
        </label>
        <div className="flex min-w-0 flex-wrap items-center gap-2">
          <input
            id={id}
            inputMode="decimal"
            autoComplete="off"
            value={span.amount}
            maxLength={11}
            aria-invalid={Boolean(error)}
            aria-describedby={`${id}-error`}
            onChange={({ target }) => onChange({ ...span, amount: target.value })}
            className={`${FIELD} w-20 px-3 text-right tabular-nums`}
          />
          <select
            aria-label="Unit"
            value={span.unit}
            onChange={({ target }) => onChange({ ...span, unit: target.value as Unit })}
            className={`${FIELD} px-2`}
          >
            {units.map((unit) => (
              <option key={unit} value={unit}>
                {unit}
              </option>
            ))}
          </select>
          {children}
        </div>
      </div>
      <p id={`${id}-error`} className="text-sm text-danger-text empty:hidden">
        {error}
      </p>
    </div>
  );
}
