import { type ComponentProps, useId } from "react";

export function CheckField({
  label,
  error,
  ...props
}: Omit<ComponentProps<"input">, "type"> & { label: string; error?: string }) {
  const id = useId();
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="flex min-h-8 items-center gap-2.5 text-sm font-medium">
        <input
          id={id}
          type="checkbox"
          aria-invalid={Boolean(error)}
          aria-describedby={`${id}-error`}
          className="size-4.5 accent-(--color-accent)"
          {...props}
        />
        {label}
      </label>
      <p id={`${id}-error`} className="text-sm text-danger-text empty:hidden">
        {error}
      </p>
    </div>
  );
}
