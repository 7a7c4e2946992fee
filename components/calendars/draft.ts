import type { z } from "zod";
import type { Problems } from "#components/kit/problems.ts";
import { timeOf } from "#components/ui/typed-time.ts";
import {
  type Calendar,
  type createCalendarContract,
  type Interval,
  SPECIAL_DAYS_MAX,
  type SpecialDay,
} from "#lib/calendars/contract.ts";
import type { Weekday } from "./hours.ts";

type Sent = z.output<NonNullable<typeof createCalendarContract.body>>;

/**
 * Intervals have keys because two may be equal while one is typed; the special days have their
 * dates.
 */
export type Slot = Interval & { key: number };
export type WeeklySlot = Slot & { day: Weekday };
export type Draft = {
  name: string;
  time_zone: string;
  weekly: WeeklySlot[];
  special_days: SpecialDay[];
};

const OFFICE_DAYS: readonly Weekday[] = ["monday", "tuesday", "wednesday", "thursday", "friday"];
const OFFICE_HOURS: Interval = { from: "09:00", to: "17:00" };
const TIME = "Enter a time, for example 09:30.";

let lastKey = 0;

export function slotOf(interval: Interval): Slot {
  lastKey += 1;
  return { ...interval, key: lastKey };
}

/** The hours to add to a day: office hours, or an interval after the existing ones. */
export function nextSlot(taken: readonly Interval[]): Slot {
  const last = taken
    .map(({ to }) => to)
    .toSorted()
    .at(-1);
  const hour = last === undefined ? undefined : Number(last.slice(0, 2)) + 1;
  if (hour === undefined) return slotOf(OFFICE_HOURS);
  const time = (hours: number) => `${String(Math.min(24, hours)).padStart(2, "0")}:00`;
  return slotOf(
    hour >= 24 ? { from: "00:00", to: "06:00" } : { from: time(hour), to: time(hour + 2) },
  );
}

export function newDraft(time_zone: string): Draft {
  return {
    name: "",
    time_zone,
    weekly: OFFICE_DAYS.map((day) => ({ ...slotOf(OFFICE_HOURS), day })),
    special_days: [],
  };
}

export function draftOf({ name, time_zone, weekly, special_days }: Calendar): Draft {
  return {
    name,
    time_zone,
    weekly: weekly.map((item) => ({ ...slotOf(item), day: item.day })),
    special_days,
  };
}

/** A valid draft as a request body. */
export function bodyOf({ name, time_zone, weekly, special_days }: Draft): Sent {
  return {
    name: name.trim(),
    time_zone,
    weekly: weekly.map(({ key: _, day, ...slot }) => ({ day, ...timesOf(slot) })),
    special_days,
  };
}

export function timesOf({ from, to }: Interval): Interval {
  return { from: timeOf(from) ?? from, to: timeOf(to) ?? to };
}

/** The errors in an interval as typed, by field. */
export function slotFaults(
  path: string,
  { from, to }: Interval,
): [path: string, message: string][] {
  const [starts, ends] = [timeOf(from), timeOf(to)];
  if (starts === undefined || starts === "24:00") return [[`${path}.from`, TIME]];
  if (ends === undefined) return [[`${path}.to`, TIME]];
  return starts === ends
    ? [[`${path}.to`, "Start and end must differ. Use 00:00 to 24:00 for a whole day."]]
    : [];
}

/** A draft's problems. */
export function faultsIn({ name, time_zone, weekly, special_days }: Draft): Problems {
  return Object.fromEntries([
    ...(name.trim() === "" ? [["name", "Enter a name."]] : []),
    ...(time_zone === "" ? [["time_zone", "Choose a time zone."]] : []),
    ...(weekly.length === 0 ? [["weekly", "Add hours to at least one day."]] : []),
    ...weekly.flatMap((slot, place) => slotFaults(`weekly.${place}`, slot)),
    ...(special_days.length > SPECIAL_DAYS_MAX
      ? [["special_days", `Keep at most ${SPECIAL_DAYS_MAX} special days.`]]
      : []),
  ]);
}

/** Adds these days in order. They replace existing days of the same dates. */
export function withDays(known: readonly SpecialDay[], added: readonly SpecialDay[]): SpecialDay[] {
  const dates = new Map([...known, ...added].map((day) => [day.date, day]));
  return [...dates.values()].sort((left, right) => left.date.localeCompare(right.date));
}
