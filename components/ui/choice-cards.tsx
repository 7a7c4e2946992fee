type Choice<Value extends string> = { value: Value; name: string; hint: string };

/** Any number of a few choices, each in a card with an explanation. */
export function ChoiceCards<Value extends string>({
  legend,
  choices,
  chosen,
  error,
  onChange,
}: {
  legend: string;
  choices: readonly Choice<Value>[];
  chosen: readonly Value[];
  error?: string;
  /** Receives the chosen values in the choices' order. */
  onChange: (chosen: Value[]) => void;
}) {
  const toggled = (toggled: Value, on: boolean) =>
    choices
      .map(({ value }) => value)
      .filter((value) => (value === toggled ? on : chosen.includes(value)));
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-2 text-sm font-medium">{legend}</legend>
      {choices.map(({ value, name, hint }) => (
        <label
          key={value}
          className="flex min-h-11 items-start gap-3 rounded-md border border-line px-3 py-2 has-checked:border-accent-text"
        >
          <input
            type="checkbox"
            className="mt-1 size-4.5 shrink-0 accent-(--color-accent)"
            aria-invalid={Boolean(error)}
            checked={chosen.includes(value)}
            onChange={({ target }) => onChange(toggled(value, target.checked))}
          />
          <span>
            <span className="block font-medium">{name}</span>
            <span className="block text-sm text-muted">{hint}</span>
          </span>
        </label>
      ))}
      <p className="text-sm text-danger-text empty:hidden">{error}</p>
    </fieldset>
  );
}
