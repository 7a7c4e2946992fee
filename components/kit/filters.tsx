"use client";

import { ChevronDown, X } from "lucide-react";
import { type ReactNode, useId } from "react";
import { Button, buttonClass } from "#components/ui/button.tsx";
import { DateControl } from "#components/ui/date-field.tsx";
import { Menu, MenuChoice } from "#components/ui/menu.tsx";

const ANY = "any";

/** A list's filter bar. `onClear` is set while any filter is active. */
export function FilterBar({
  onClear,
  children,
}: {
  onClear: (() => void) | false;
  children: ReactNode;
}) {
  return (
    <search className="scrollbar-none flex flex-wrap items-center gap-2 pb-4 short:pb-2 short:sm:-mx-1 short:sm:-mt-1 short:sm:flex-nowrap short:sm:overflow-x-auto short:sm:px-1 short:sm:pt-1 short:sm:*:shrink-0">
      {children}
      {onClear && <ClearFilters onClear={onClear} />}
    </search>
  );
}

export function ClearFilters({ onClear }: { onClear: () => void }) {
  return (
    <Button variant="ghost" size="sm" onClick={onClear}>
      <X aria-hidden className="size-4" />
      Clear filters
    </Button>
  );
}

/** Picks one of several values, or any. */
export function FilterMenu<Value extends string>({
  name,
  value,
  options,
  onChange,
}: {
  name: string;
  value: Value | null;
  options: readonly (readonly [value: Value, word: string])[];
  onChange: (value: Value | null) => void;
}) {
  const word = value && (options.find(([one]) => one === value)?.[1] ?? value);
  return (
    <Menu
      label={name}
      triggerClass={buttonClass({ variant: word ? "selected" : "secondary", size: "sm" })}
      trigger={<FilterTrigger>{word ? `${name}: ${word}` : name}</FilterTrigger>}
    >
      <MenuChoice
        label={name}
        value={value ?? ANY}
        options={[
          { value: ANY, label: "Any" },
          ...options.map(([one, label]) => ({ value: one as string, label })),
        ]}
        onChange={(chosen) => onChange(options.find(([one]) => one === chosen)?.[0] ?? null)}
      />
    </Menu>
  );
}

/** Picks the period of a list, which always has one. */
export function PeriodMenu<Period extends string>({
  value,
  periods,
  labels,
  onChange,
}: {
  value: Period;
  periods: readonly Period[];
  labels: Record<Period, string>;
  onChange: (period: Period) => void;
}) {
  return (
    <Menu
      label="Period"
      triggerClass={buttonClass({ size: "sm" })}
      trigger={<FilterTrigger>{labels[value]}</FilterTrigger>}
    >
      <MenuChoice
        label="Period"
        value={value}
        options={periods.map((period) => ({ value: period, label: labels[period] }))}
        onChange={onChange}
      />
    </Menu>
  );
}

/** A filter without a control in the bar, for example from a link; clicking it removes it. */
export function FilterChip({ onRemove, children }: { onRemove: () => void; children: ReactNode }) {
  return (
    <Button size="sm" variant="selected" onClick={onRemove}>
      <span className="max-w-64 truncate">{children}</span>
      <X aria-hidden className="size-4" />
      <span className="sr-only">, remove this filter</span>
    </Button>
  );
}

/** The label of a filter's menu button. */
export function FilterTrigger({ children }: { children: ReactNode }) {
  return (
    <>
      <span className="sr-only">Filter by</span> {children}
      <ChevronDown aria-hidden className="size-3.5 opacity-70" />
    </>
  );
}

/** The start or end of a range of days. */
export function FilterDay({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string | null;
  onChange: (day: string | null) => void;
}) {
  const id = useId();
  return (
    <span className="flex min-w-0 items-center gap-1.5 text-sm max-sm:flex-1 max-sm:flex-col max-sm:items-start">
      <label htmlFor={id} className="text-muted">
        {label}
      </label>
      <DateControl
        id={id}
        value={value ?? ""}
        onChange={(day) => onChange(day || null)}
        placeholder="Any day"
        width="w-36 max-sm:w-full"
        className="h-8 text-sm max-sm:h-9"
      />
    </span>
  );
}
