"use client";

import { type ReactNode, useState } from "react";
import { plainMoney } from "#components/ui/money.ts";
import { TextField } from "#components/ui/text-field.tsx";
import { shownAmount, typedMinor } from "./typed-money.ts";

/**
 * An amount typed in the currency's main unit. `value` and `onChange`: minor units; null if the field
 * is empty, NaN if it isn't an amount.
 */
export function MoneyField({
  label,
  hint,
  currency,
  value,
  disabled = false,
  onChange,
}: {
  label: string;
  hint?: ReactNode;
  currency: string;
  value: number | null;
  disabled?: boolean;
  onChange: (minor: number | null) => void;
}) {
  const [typed, setTyped] = useState("");
  return (
    <TextField
      label={label}
      hint={hint}
      inputMode="decimal"
      autoComplete="off"
      placeholder={plainMoney(0, currency)}
      value={shownAmount(typed, value, currency)}
      disabled={disabled}
      error={Number.isNaN(value) ? "Enter an amount, such as 50.00." : undefined}
      onChange={({ target }) => {
        setTyped(target.value);
        onChange(typedMinor(target.value, currency));
      }}
    />
  );
}
