import { type ComponentProps, type ReactNode, useId } from "react";
import { classes } from "./classes.ts";
import { FIELD, Field } from "./text-field.tsx";

/** One option of a list, as a native control: typing searches it, and it is large on phones. */
export function SelectField({
  label,
  labelHidden,
  hint,
  error,
  className,
  children,
  ...props
}: ComponentProps<"select"> & {
  label: string;
  labelHidden?: boolean;
  hint?: ReactNode;
  error?: string;
}) {
  const id = useId();
  return (
    <Field id={id} label={label} labelHidden={labelHidden} hint={hint} error={error}>
      <select
        id={id}
        className={classes(FIELD, "h-10", className)}
        aria-invalid={Boolean(error)}
        aria-describedby={`${id}-hint ${id}-error`}
        {...props}
      >
        {children}
      </select>
    </Field>
  );
}
