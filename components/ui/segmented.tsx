"use client";

import { type RadioOption, RadioOptions } from "./radio-options.tsx";

const OPTION =
  "flex h-7 cursor-pointer items-center rounded-sm px-3 text-sm font-medium whitespace-nowrap " +
  "text-muted " +
  "hover:text-ink has-checked:bg-raised has-checked:text-ink has-checked:shadow-raised " +
  "has-focus-visible:outline-2 has-focus-visible:outline-focus max-sm:h-9 max-sm:px-2";

/** One of a few options, side by side; in a narrow place, in rows. */
export function Segmented<Value extends string>({
  label,
  value,
  options,
  onChange,
}: {
  label: string;
  value: Value;
  options: readonly RadioOption<Value>[];
  onChange: (value: Value) => void;
}) {
  return (
    <fieldset className="flex w-fit max-w-full shrink-0 flex-wrap rounded-md border border-line bg-canvas p-0.5">
      <legend className="sr-only">{label}</legend>
      <RadioOptions value={value} options={options} onChange={onChange} optionClass={OPTION} />
    </fieldset>
  );
}
