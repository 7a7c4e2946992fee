import { useId } from "react";

export type RadioOption<Value extends string> = { value: Value; label: string };

/** The radio buttons of one group, shown as their labels. */
export function RadioOptions<Value extends string>({
  value,
  options,
  onChange,
  optionClass,
}: {
  value: Value;
  options: readonly RadioOption<Value>[];
  onChange: (value: Value) => void;
  optionClass: string;
}) {
  const name = useId();
  return options.map((option) => (
    <label key={option.value} className={optionClass}>
      <input
        type="radio"
        name={name}
        value={option.value}
        checked={option.value === value}
        onChange={() => onChange(option.value)}
        className="sr-only"
      />
      {option.label}
    </label>
  ));
}
