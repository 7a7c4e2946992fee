import { type ComponentProps, type ReactNode, useId } from "react";
import { classes } from "./classes.ts";

/** 16 px on touch screens, below which browsers zoom into a focused field. */
export const FIELD =
  "w-full rounded-md border border-field bg-surface px-3 text-ink placeholder:text-muted " +
  "max-sm:text-lg aria-invalid:border-danger";

type Labelled = { label: string; hint?: ReactNode; error?: string };
type Labelling = Labelled & { id: string; labelHidden?: boolean; children: ReactNode };

export function TextField({
  label,
  hint,
  error,
  className,
  ...props
}: ComponentProps<"input"> & Labelled) {
  const id = useId();
  return (
    <Field id={id} label={label} hint={hint} error={error}>
      <input
        id={id}
        className={classes(FIELD, "h-10", className)}
        aria-invalid={Boolean(error)}
        aria-describedby={`${id}-hint ${id}-error`}
        {...props}
      />
    </Field>
  );
}

export function TextArea({
  label,
  hint,
  error,
  className,
  ...props
}: ComponentProps<"textarea"> & Labelled) {
  const id = useId();
  return (
    <Field id={id} label={label} hint={hint} error={error}>
      <textarea
        id={id}
        className={classes(FIELD, "min-h-20 py-2", className)}
        aria-invalid={Boolean(error)}
        aria-describedby={`${id}-hint ${id}-error`}
        {...props}
      />
    </Field>
  );
}

/** A control's label, hint and error. */
export function Field({ id, label, labelHidden = false, hint, error, children }: Labelling) {
  return (
    <div className="flex flex-col gap-1.5">
      <label htmlFor={id} className={labelHidden ? "sr-only" : "text-sm font-medium"}>
        {label}
      </label>
      {children}
      <p id={`${id}-hint`} className="text-sm text-muted empty:hidden">
        {hint}
      </p>
      <p id={`${id}-error`} className="text-sm text-danger-text empty:hidden">
        {error}
      </p>
    </div>
  );
}
