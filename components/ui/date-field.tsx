"use client";

import { CalendarDays } from "lucide-react";
import { type ComponentProps, type ReactNode, useId, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { classes } from "./classes.ts";
import { parseDay, parseDayTime } from "./days.ts";
import { formatDay } from "./moment.ts";
import { MonthGrid } from "./month-grid.tsx";
import { FIELD, Field } from "./text-field.tsx";

const EXAMPLE = "26 Nov 2026";
const EXAMPLE_WITH_TIME = "26 Nov 2026, 14:30";

/** The range of days that can be chosen by default. */
const FIRST_DAY = "1970-01-01";
const LAST_DAY = "2999-12-31";

type Days = {
  /** The day, "2026-11-26", or with `time` "2026-11-26T14:30"; empty for none. */
  value: string;
  onChange: (day: string) => void;
  min?: string;
  max?: string;
  /** If set, the value has a time of day: this one ("17:00") if only a day is chosen. */
  time?: string;
};

/**
 * A field for a day, or with `time` for a day and a time, in the format of all pages, with a
 * calendar to choose from.
 */
export function DateField({
  label,
  hint,
  error,
  ...control
}: Days & {
  label: string;
  hint?: ReactNode;
  error?: string | undefined;
  name?: string;
  required?: boolean;
}) {
  const id = useId();
  const [fault, setFault] = useState<string | null>(null);
  const problem = fault ?? error;
  return (
    <Field id={id} label={label} hint={hint} error={problem}>
      <DateControl
        {...control}
        id={id}
        onFault={setFault}
        inputProps={{
          "aria-invalid": problem !== undefined,
          "aria-describedby": `${id}-hint ${id}-error`,
        }}
      />
    </Field>
  );
}

/**
 * The control for a day, without its label. `onFault` reports the error of the text, if there is
 * one.
 */
export function DateControl({
  id,
  value,
  onChange,
  onFault,
  min = FIRST_DAY,
  max = LAST_DAY,
  time,
  name,
  required,
  placeholder = time === undefined ? EXAMPLE : EXAMPLE_WITH_TIME,
  width,
  className = "h-10",
  inputProps,
}: Days & {
  id: string;
  onFault?: (fault: string | null) => void;
  name?: string;
  required?: boolean;
  placeholder?: string;
  /** The class of the control's width. */
  width?: string;
  className?: string;
  inputProps?: ComponentProps<"input">;
}) {
  const [typed, setTyped] = useState<string | null>(null);
  const [isOpen, setOpen] = useState(false);
  const hidden = useRef<HTMLInputElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const popover = `${id}-calendar`;

  function change(day: string): void {
    // Runs before the event reaches a form that reads its fields.
    if (hidden.current) hidden.current.value = day;
    onChange(day);
  }

  function parsed(text: string): string | null {
    return time === undefined ? parseDay(text) : parseDayTime(text, time);
  }

  function type(text: string): void {
    setTyped(text);
    onFault?.(null);
    const day = parsed(text);
    change(day !== null && day >= min && day <= max ? day : "");
  }

  function leave(): void {
    if (typed === null) return;
    if (value !== "" || typed.trim() === "") setTyped(null);
    else onFault?.(faultOf(parsed(typed), { min, max, time }));
  }

  function choose(day: string): void {
    setTyped(null);
    onFault?.(null);
    change(time === undefined ? day : `${day}T${value.slice(11) || time}`);
    box.current?.hidePopover();
    input.current?.focus();
    // Notifies a form that applies its fields as they change.
    hidden.current?.dispatchEvent(new Event("input", { bubbles: true }));
  }

  return (
    <div className={classes("relative flex min-w-0", width)}>
      <input
        id={id}
        ref={input}
        type="text"
        autoComplete="off"
        spellCheck={false}
        required={required}
        placeholder={placeholder}
        value={typed ?? shownDay(value)}
        onChange={({ target }) => type(target.value)}
        onBlur={leave}
        className={classes(FIELD, "min-w-0 pr-9", className)}
        {...inputProps}
      />
      {name !== undefined && <input ref={hidden} type="hidden" name={name} defaultValue={value} />}
      <button
        type="button"
        popoverTarget={popover}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        aria-label="Open calendar"
        className="absolute inset-y-0 right-0 flex w-9 items-center justify-center rounded-md text-muted hover:text-ink"
      >
        <CalendarDays aria-hidden className="size-4" />
      </button>
      <div
        ref={box}
        id={popover}
        popover="auto"
        // A click between the days must not take the focus out of the field.
        tabIndex={-1}
        role="dialog"
        aria-label="Calendar"
        onBeforeToggle={({ newState }) => newState === "open" && flushSync(() => setOpen(true))}
        onToggle={({ newState }) => newState === "closed" && setOpen(false)}
        className="fixed inset-auto m-0 my-1.5 rounded-lg bg-raised p-3 text-ink shadow-overlay outline-none [position-area:block-end_span-inline-start] max-sm:[position-area:block-end_span-all] [position-try-fallbacks:flip-block,flip-inline,flip-block_flip-inline]"
      >
        {isOpen && (
          <MonthGrid
            value={value.slice(0, 10)}
            min={min.slice(0, 10)}
            max={max.slice(0, 10)}
            onChange={choose}
          />
        )}
      </div>
    </div>
  );
}

/** The error of a text without a valid value: it is not a day (`day` is null), or out of range. */
function faultOf(
  day: string | null,
  { min, max, time }: { min: string; max: string; time: string | undefined },
): string {
  if (day === null)
    return time === undefined
      ? `Enter a day, for example ${EXAMPLE}.`
      : `Enter a day and a time, for example ${EXAMPLE_WITH_TIME}.`;
  return day < min
    ? `Choose a day from ${shownDay(min)} on.`
    : `Choose a day until ${shownDay(max)}.`;
}

/** "26 Nov 2026", or with a time of day "26 Nov 2026, 14:30". */
function shownDay(value: string): string {
  if (value === "") return "";
  const time = value.slice(11, 16);
  return formatDay(value.slice(0, 10), "UTC") + (time && `, ${time}`);
}
