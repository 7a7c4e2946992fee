"use client";

import { type ComponentProps, type KeyboardEvent, useId, useState } from "react";
import { classes } from "./classes.ts";
import { FIELD, Field } from "./text-field.tsx";

type Props = Omit<ComponentProps<"input">, "type"> & {
  label: string;
  hint?: string;
  error?: string;
};

/** A password that can be shown, with a hint while Caps Lock is on. */
export function PasswordField({ label, hint, error, className, ...props }: Props) {
  const id = useId();
  const [isShown, setShown] = useState(false);
  const [isCapital, setCapital] = useState(false);
  const lookAt = (event: KeyboardEvent) => setCapital(event.getModifierState("CapsLock"));
  return (
    <Field id={id} label={label} hint={isCapital ? "Caps Lock is on." : hint} error={error}>
      <div className="relative">
        <input
          id={id}
          type={isShown ? "text" : "password"}
          spellCheck={false}
          autoCapitalize="none"
          className={classes(FIELD, "h-10 pr-16", className)}
          aria-invalid={Boolean(error)}
          aria-describedby={`${id}-hint ${id}-error`}
          onKeyDown={lookAt}
          onKeyUp={lookAt}
          onBlur={() => setCapital(false)}
          {...props}
        />
        <button
          type="button"
          aria-controls={id}
          aria-pressed={isShown}
          onClick={() => setShown(!isShown)}
          className="absolute inset-y-1 right-1 min-w-12 rounded-sm px-2 text-sm font-medium text-muted hover:bg-hover hover:text-ink"
        >
          {isShown ? "Hide" : "Show"}
        </button>
      </div>
    </Field>
  );
}
