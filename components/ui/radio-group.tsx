import type { ReactNode } from "react";
import { type RadioOption, RadioOptions } from "./radio-options.tsx";

const OPTION =
  "relative inline-flex h-9 items-center rounded-md border border-line bg-raised px-3 text-sm " +
  "font-medium shadow-raised select-none not-has-disabled:cursor-pointer " +
  "not-has-disabled:hover:bg-hover has-checked:border-accent-text has-checked:bg-accent-soft " +
  "has-checked:text-accent-text has-disabled:opacity-60 has-focus-visible:outline-2 " +
  "has-focus-visible:outline-offset-2 has-focus-visible:outline-focus";

/** One of several, side by side. */
export function RadioGroup<Value extends string>({
  legend,
  value,
  options,
  onChange,
  children,
}: {
  legend: string;
  value: Value;
  options: readonly RadioOption<Value>[];
  onChange: (value: Value) => void;
  /** The consequence of the choice. */
  children?: ReactNode;
}) {
  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className="mb-1.5 text-sm font-medium">{legend}</legend>
      <div className="flex flex-wrap gap-2">
        <RadioOptions value={value} options={options} onChange={onChange} optionClass={OPTION} />
      </div>
      {children}
    </fieldset>
  );
}
