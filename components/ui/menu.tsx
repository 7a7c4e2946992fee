"use client";

import { Check } from "lucide-react";
import Link from "next/link";
import {
  type ComponentProps,
  createContext,
  type ReactNode,
  useContext,
  useId,
  useRef,
  useState,
} from "react";
import { flushSync } from "react-dom";
import { classes } from "./classes.ts";
import { itemsOf, onMenuKey } from "./menu-keys.ts";

const ITEM =
  "flex min-h-8 w-full items-center gap-2 rounded-sm px-2 py-1.5 text-left text-sm text-ink " +
  "outline-none select-none focus:bg-hover max-sm:min-h-11";

const ALIGN = {
  start: "[position-area:block-end_span-inline-end]",
  end: "[position-area:block-end_span-inline-start]",
} as const;

const CloseContext = createContext<() => void>(() => {});

/**
 * A button that opens a menu. The native popover places, stacks and dismisses it and returns focus;
 * this adds a menu's keyboard behaviour. (Measured: a library's menu costs every page 57 kB.)
 */
export function Menu({
  label,
  trigger,
  triggerClass,
  align = "start",
  children,
}: {
  label: string;
  trigger: ReactNode;
  triggerClass: string;
  align?: keyof typeof ALIGN;
  children: ReactNode;
}) {
  const id = useId();
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);

  // The items are mounted before the menu shows, so that opening focuses one in the same task and
  // the next key isn't lost.
  function onBeforeToggle({ newState }: { newState: string }) {
    if (newState !== "open") return;
    flushSync(() => setOpen(true));
    (menu.current?.querySelector("[aria-checked=true]") ?? itemsOf(menu.current)[0])?.setAttribute(
      "autofocus",
      "",
    );
  }

  return (
    <>
      <button
        ref={button}
        type="button"
        popoverTarget={id}
        aria-haspopup="menu"
        aria-expanded={open}
        className={triggerClass}
        onKeyDown={(event) => {
          if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
          event.preventDefault();
          button.current?.click();
        }}
      >
        {trigger}
      </button>
      <div
        ref={menu}
        id={id}
        popover="auto"
        role="menu"
        tabIndex={-1}
        aria-label={label}
        onBeforeToggle={onBeforeToggle}
        // Unmounts only after focus has returned.
        onToggle={({ newState }) => newState === "closed" && setOpen(false)}
        onKeyDown={(event) => onMenuKey(event, () => menu.current?.hidePopover())}
        className={classes(
          "fixed inset-auto m-0 my-1.5 max-h-[min(30rem,80dvh)] min-w-48",
          "max-w-[min(22rem,calc(100vw-1rem))] overflow-y-auto rounded-lg bg-raised p-1",
          "text-ink shadow-overlay outline-none",
          "[position-try-fallbacks:flip-block,flip-inline,flip-block_flip-inline]",
          "transition-opacity duration-100 starting:open:opacity-0",
          ALIGN[align],
        )}
      >
        <CloseContext value={() => menu.current?.hidePopover()}>{open && children}</CloseContext>
      </div>
    </>
  );
}

/** `refused` says why it can't be done now. */
export function MenuItem({
  onClick,
  refused = "",
  children,
}: {
  onClick: () => void;
  refused?: string;
  children: ReactNode;
}) {
  const close = useContext(CloseContext);
  return (
    <button
      type="button"
      role="menuitem"
      tabIndex={-1}
      aria-disabled={refused ? true : undefined}
      className={classes(ITEM, "aria-disabled:flex-wrap aria-disabled:text-muted")}
      onMouseMove={focusIt}
      onClick={() => {
        if (refused) return;
        close();
        onClick();
      }}
    >
      {children}
      {refused && <span className="basis-full text-xs">{refused}</span>}
    </button>
  );
}

export function MenuLink(props: ComponentProps<typeof Link>) {
  const close = useContext(CloseContext);
  return (
    <Link
      role="menuitem"
      tabIndex={-1}
      className={ITEM}
      onMouseMove={focusIt}
      onClick={close}
      {...props}
    />
  );
}

/** One of several options, exactly one of which is checked. */
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
  const id = useId();
  const close = useContext(CloseContext);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is no part of a menu
    <div role="group" aria-labelledby={id}>
      <div id={id} role="presentation" className="px-2 pt-2 pb-1 text-xs font-medium text-muted">
        {label}
      </div>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          role="menuitemradio"
          aria-checked={option.value === value}
          tabIndex={-1}
          className={ITEM}
          onMouseMove={focusIt}
          onClick={() => {
            close();
            onChange(option.value);
          }}
        >
          <span className="flex min-w-0 flex-1 items-center gap-2">{option.label}</span>
          {option.value === value && <Check aria-hidden className="size-4 text-accent-text" />}
        </button>
      ))}
    </div>
  );
}

/**
 * Any number of options. The menu stays open, so that several can be checked. `note` is shown at
 * the end of an option, for example a count.
 */
export function MenuChecks<Value extends string>({
  label,
  values,
  options,
  onChange,
}: {
  label: string;
  values: readonly Value[];
  options: readonly { value: Value; label: ReactNode; note?: ReactNode }[];
  onChange: (values: Value[]) => void;
}) {
  const id = useId();
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is no part of a menu
    <div role="group" aria-labelledby={id}>
      <div id={id} role="presentation" className="px-2 pt-2 pb-1 text-xs font-medium text-muted">
        {label}
      </div>
      {options.map(({ value, label: word, note }) => (
        <MenuCheckItem
          key={value}
          checked={values.includes(value)}
          note={note}
          onChange={(isChecked) =>
            onChange(isChecked ? [...values, value] : values.filter((item) => item !== value))
          }
        >
          {word}
        </MenuCheckItem>
      ))}
    </div>
  );
}

/**
 * An option that is on or off. The menu stays open. `note` is shown at its end, for example a
 * count.
 */
export function MenuCheckItem({
  checked,
  note,
  onChange,
  children,
}: {
  checked: boolean;
  note?: ReactNode;
  onChange: (checked: boolean) => void;
  children: ReactNode;
}) {
  return (
    <button
      type="button"
      role="menuitemcheckbox"
      aria-checked={checked}
      tabIndex={-1}
      className={ITEM}
      onMouseMove={focusIt}
      onClick={() => onChange(!checked)}
    >
      <span
        aria-hidden
        className={classes(
          "flex size-4 shrink-0 items-center justify-center rounded-sm border",
          checked ? "border-accent bg-accent text-on-accent" : "border-field",
        )}
      >
        {checked && <Check className="size-3" strokeWidth={3} />}
      </span>
      <span className="flex min-w-0 flex-1 items-center gap-2 truncate">{children}</span>
      <span className="pl-3 text-xs text-muted tabular-nums empty:hidden">{note}</span>
    </button>
  );
}

/** A heading for the items below. */
export function MenuHeading({ children }: { children: ReactNode }) {
  return (
    <p role="presentation" className="px-2 pt-2 pb-1 text-xs font-medium text-muted">
      {children}
    </p>
  );
}

export function MenuSeparator() {
  return <hr className="-mx-1 my-1 border-line" />;
}

function focusIt(event: { currentTarget: HTMLElement }): void {
  event.currentTarget.focus({ preventScroll: true });
}
