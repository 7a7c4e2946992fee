import type { ComponentProps } from "react";
import { TextField } from "#components/ui/text-field.tsx";
import { timeOf } from "#components/ui/typed-time.ts";

type Props = Omit<ComponentProps<typeof TextField>, "value" | "type" | "onBlur"> & {
  value: string;
  /** Receives the time as HH:MM when the field loses focus. */
  onTime: (time: string) => void;
};

/**
 * A time of day on the 24-hour clock, as all pages show it. The browser's own control would show
 * "06:30 AM" in some languages.
 */
export function TimeField({ value, onTime, ...props }: Props) {
  return (
    <TextField
      {...props}
      inputMode="text"
      autoComplete="off"
      placeholder="06:30"
      maxLength={5}
      value={value}
      onBlur={() => onTime(timeOf(value) ?? value)}
    />
  );
}
