"use client";

import { Menu } from "@base-ui/react/menu";
import { Check } from "lucide-react";
import type { ComponentProps, ReactNode } from "react";
import { classes } from "./classes.ts";

const ITEM =
  "flex min-h-8 items-center gap-2 rounded-sm px-2 py-1.5 text-sm text-ink outline-none select-none data-highlighted:bg-hover data-disabled:text-muted max-sm:min-h-11";

/** A menu that opens from `trigger`, a Menu.Trigger. */
export function MenuRoot({
  trigger,
  children,
  align = "start",
  side = "bottom",
}: {
  trigger: ReactNode;
  children: ReactNode;
  align?: "start" | "end";
  side?: "top" | "bottom";
}) {
  return (
    <Menu.Root modal={false}>
      {trigger}
      <Menu.Portal>
        <Menu.Positioner align={align} side={side} sideOffset={6} collisionPadding={8} className="z-50 outline-none">
          <Menu.Popup className="max-h-(--available-height) min-w-[max(12rem,var(--anchor-width))] max-w-[min(22rem,var(--available-width))] origin-(--transform-origin) overflow-y-auto rounded-lg bg-raised p-1 shadow-overlay outline-none transition-[scale,opacity] duration-100 data-ending-style:scale-98 data-ending-style:opacity-0 data-starting-style:scale-98 data-starting-style:opacity-0">
            {children}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

export function MenuItem({ className, ...props }: ComponentProps<typeof Menu.Item>) {
  return <Menu.Item className={classes(ITEM, className as string)} {...props} />;
}

export function MenuLink({ className, ...props }: ComponentProps<typeof Menu.LinkItem>) {
  return <Menu.LinkItem closeOnClick className={classes(ITEM, className as string)} {...props} />;
}

/** One of several, of which exactly one holds. */
export function MenuChoice<Value extends string>({
  label,
  value,
  options,
  onChange,
}: {
  label: string;
  value: Value;
  options: readonly { value: Value; label: ReactNode }[];
  onChange: (value: Value) => void;
}) {
  return (
    <Menu.RadioGroup value={value} onValueChange={onChange}>
      <Menu.Group>
        <Menu.GroupLabel className="px-2 pt-2 pb-1 text-xs font-medium text-muted">{label}</Menu.GroupLabel>
        {options.map((option) => (
          <Menu.RadioItem key={option.value} value={option.value} closeOnClick className={ITEM}>
            <span className="flex min-w-0 flex-1 items-center gap-2">{option.label}</span>
            <Menu.RadioItemIndicator>
              <Check aria-hidden className="size-4 text-accent-text" />
            </Menu.RadioItemIndicator>
          </Menu.RadioItem>
        ))}
      </Menu.Group>
    </Menu.RadioGroup>
  );
}

export function MenuSeparator() {
  return <Menu.Separator className="-mx-1 my-1 h-px bg-line" />;
}

export const MenuTrigger = Menu.Trigger;
