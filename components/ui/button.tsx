import type { ComponentProps } from "react";
import { classes } from "./classes.ts";

type ButtonStyle = { variant?: keyof typeof VARIANTS; size?: keyof typeof SIZES };

const VARIANTS = {
  primary: "bg-accent text-on-accent hover:bg-accent-hover",
  secondary: "border border-line bg-raised text-ink shadow-raised hover:bg-hover",
  selected: "border border-accent-text bg-accent-soft text-accent-text hover:bg-hover",
  danger: "bg-danger text-on-danger hover:bg-danger-hover",
  ghost: "text-muted hover:bg-hover hover:text-ink",
} as const;

const SIZES = {
  sm: "h-8 px-2.5 text-sm max-sm:h-9",
  md: "h-9 px-3.5 text-base",
  icon: "size-8",
  touch: "size-11",
} as const;

/** The classes of a button, for links. */
export function buttonClass({ variant = "secondary", size = "md" }: ButtonStyle = {}): string {
  return classes(
    "inline-flex shrink-0 items-center justify-center gap-1.5 rounded-md font-medium " +
      "whitespace-nowrap select-none",
    "transition-colors duration-100 disabled:opacity-60 disabled:pointer-events-none",
    VARIANTS[variant],
    SIZES[size],
  );
}

export function Button({
  variant,
  size,
  className,
  type = "button",
  ...props
}: ComponentProps<"button"> & ButtonStyle) {
  return (
    <button type={type} className={classes(buttonClass({ variant, size }), className)} {...props} />
  );
}
