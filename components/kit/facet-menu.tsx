"use client";

import type { ReactNode } from "react";
import { buttonClass } from "#components/ui/button.tsx";
import { Menu, MenuChecks, MenuItem, MenuSeparator } from "#components/ui/menu.tsx";
import { FilterTrigger } from "./filters.tsx";

export type FacetOption<Value extends string> = {
  value: Value;
  optionLabel: ReactNode;
  label?: ReactNode;
  note?: ReactNode;
};

/**
 * A filter of several values, each with its count. `children` are further items of the menu; `hint`
 * says what the counts leave out.
 */
export function FacetMenu<Value extends string>({
  name,
  values,
  options,
  onChange,
  hint,
  children,
}: {
  name: string;
  values: readonly Value[] | null;
  options: readonly FacetOption<Value>[];
  /** Null if nothing is chosen. */
  onChange: (values: Value[] | null) => void;
  hint?: string | false | undefined;
  children?: ReactNode;
}) {
  const chosen = values ?? [];
  const labels = chosen.map(
    (value) => options.find((option) => option.value === value)?.optionLabel ?? value,
  );
  const [first, ...others] = labels;
  return (
    <Menu
      label={name}
      triggerClass={buttonClass({
        variant: first === undefined ? "secondary" : "selected",
        size: "sm",
      })}
      trigger={
        <FilterTrigger>
          {first === undefined ? (
            name
          ) : (
            <span className="max-w-48 truncate">
              {name}: {first}
              {others.length > 0 && ` +${others.length}`}
            </span>
          )}
        </FilterTrigger>
      }
    >
      <MenuChecks
        label={name}
        values={chosen}
        options={options.map(({ value, optionLabel, label = optionLabel, note }) => ({
          value,
          label,
          note,
        }))}
        onChange={(next) => onChange(next.length === 0 ? null : next)}
      />
      {children}
      {hint && (
        <p role="presentation" className="max-w-56 px-2 py-1 text-xs text-muted">
          {hint}
        </p>
      )}
      {first !== undefined && (
        <>
          <MenuSeparator />
          <MenuItem onClick={() => onChange(null)}>Clear</MenuItem>
        </>
      )}
    </Menu>
  );
}
