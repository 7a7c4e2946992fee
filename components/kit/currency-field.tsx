"use client";

import { type ComponentProps, useId } from "react";
import { classes } from "#components/ui/classes.ts";
import { useInBrowser } from "#components/ui/in-browser.ts";
import { TextField } from "#components/ui/text-field.tsx";
import { CURRENCIES } from "#lib/wire/currencies.ts";
import { currencyName } from "./currency-names.ts";

type Props = Omit<ComponentProps<typeof TextField>, "list" | "label" | "value" | "hint"> & {
  label?: string;
  value: string;
  hint?: string;
};

/** The code of a currency, suggested by code and name. The hint begins with its name. */
export function CurrencyField({ label = "Currency", hint, value, className, ...props }: Props) {
  const id = useId();
  // The server and the browser know different currencies by name.
  const inBrowser = useInBrowser();
  return (
    <>
      <TextField
        label={label}
        list={id}
        maxLength={3}
        autoCapitalize="characters"
        autoComplete="off"
        spellCheck={false}
        value={value}
        hint={[currencyName(value.trim()), hint].filter(Boolean).join(". ")}
        className={classes("uppercase", className)}
        {...props}
      />
      <datalist id={id}>
        {inBrowser &&
          CURRENCIES.map((code) => (
            <option key={code} value={code}>
              {currencyName(code)}
            </option>
          ))}
      </datalist>
    </>
  );
}
