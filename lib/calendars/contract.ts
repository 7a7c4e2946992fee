import { z } from "zod";
import { needs } from "../wire/access.ts";
import { contract } from "../wire/contract.ts";
import { CALENDAR_VERSIONS, CALENDARS } from "../wire/facts.gen.ts";
import {
  actor,
  id,
  page,
  pageQuery,
  queryInteger,
  text,
  time,
  timestamp,
  timeZone,
} from "../wire/schema.ts";

export const WEEKDAYS = [
  "monday",
  "tuesday",
  "wednesday",
  "thursday",
  "friday",
  "saturday",
  "sunday",
] as const;

export const calendarId = id("cal");

export const INTERVALS_A_DAY = 20;
export const SPECIAL_DAYS_MAX = CALENDAR_VERSIONS.special_days.max;
export const SPECIAL_DAY_NAME_MAX = 200;
/** Why an event of an ICS file added no closed day. */
export const SKIP_REASONS = [
  "cancelled",
  "observance",
  "not_all_day",
  "too_long",
  "recurrence",
  "limit",
] as const;
export const SKIPPED_EVENTS_MAX = 100;
const PREVIEW_DAYS = 366;
const DAY_MS = 86_400_000;

const from = z
  .string()
  .max(5)
  .regex(/^([01]\d|2[0-3]):[0-5]\d$/, "Must be a time from 00:00 to 23:59.")
  .meta({ description: "Local time.", example: "09:00" });
const to = z
  .string()
  .max(5)
  .regex(/^(([01]\d|2[0-3]):[0-5]\d|24:00)$/, "Must be a time from 00:00 to 24:00.")
  .meta({ description: "Local time. At or before `from`: on the next day.", example: "17:00" });

const isNonEmpty = ({ from, to }: { from: string; to: string }) => from !== to;
const NON_EMPTY = {
  error: "from and to must differ. Use 00:00 to 24:00 for a whole day.",
  path: ["to"],
};

const interval = z.strictObject({ from, to }).refine(isNonEmpty, NON_EMPTY);
export type Interval = z.output<typeof interval>;

const weekly = z
  .array(z.strictObject({ day: z.enum(WEEKDAYS), from, to }).refine(isNonEmpty, NON_EMPTY))
  .min(1, "Include at least one interval: a calendar that is never open has no deadlines.")
  .max(CALENDAR_VERSIONS.weekly.max)
  .refine(
    (intervals) =>
      WEEKDAYS.every(
        (day) => intervals.filter((item) => item.day === day).length <= INTERVALS_A_DAY,
      ),
    `At most ${INTERVALS_A_DAY} intervals a day.`,
  )
  .meta({
    description:
      "When it is open each week, in local time. An interval past midnight belongs to the day " +
      "it starts on.",
    example: [
      { day: "monday", from: "09:00", to: "17:00" },
      { day: "tuesday", from: "09:00", to: "17:00" },
    ],
  });

const specialDay = z
  .strictObject({
    date: z.iso
      .date({ error: "Must be a date, for example 2030-12-25." })
      .meta({ example: "2026-12-25" }),
    name: text(SPECIAL_DAY_NAME_MAX).nullable().default(null).meta({ example: "Christmas Day" }),
    intervals: z
      .array(interval)
      .max(INTERVALS_A_DAY)
      .default([])
      .meta({ description: "Empty: closed.", example: [] }),
  })
  .meta({ id: "SpecialDayInput", outputId: "SpecialDay" });
export type SpecialDay = z.output<typeof specialDay>;

const CHRISTMAS = [{ date: "2026-12-25", name: "Christmas Day", intervals: [] }];

const specialDays = z
  .array(specialDay)
  .max(SPECIAL_DAYS_MAX)
  .refine(
    (days) => new Set(days.map(({ date }) => date)).size === days.length,
    "Each date may appear only once.",
  )
  .meta({
    description: "Days with special hours, which replace the hours that start on that weekday.",
    example: CHRISTMAS,
  });

const settable = {
  name: text(CALENDARS.name.max).meta({ example: "Frankfurt office" }),
  time_zone: timeZone(CALENDAR_VERSIONS.time_zone.max).meta({
    description: "The time zone of its local times.",
    example: "Europe/Berlin",
  }),
  weekly,
};

export const calendar = z
  .object({
    id: calendarId,
    ...settable,
    time_zone: z.string().meta({ example: "Europe/Berlin" }),
    special_days: z.array(specialDay).max(SPECIAL_DAYS_MAX).meta({ example: CHRISTMAS }),
    calendar_version: z.int().min(1).meta({
      description:
        "Increases when its hours change. Deadlines keep the version they were set with.",
      example: 1,
    }),
    created_at: time,
    created_by: actor,
    updated_at: time,
    updated_by: actor,
  })
  .meta({ id: "Calendar" });
export type Calendar = z.output<typeof calendar>;

const calendarVersion = z
  .object({
    calendar_version: calendar.shape.calendar_version,
    time_zone: calendar.shape.time_zone,
    weekly: calendar.shape.weekly,
    special_day_count: z.int().min(0).meta({ example: 1 }),
    open_exceptions: z
      .int()
      .min(0)
      .meta({ description: "Open exceptions whose deadline counts by this version.", example: 12 }),
    created_at: time,
    created_by: actor,
  })
  .meta({ id: "CalendarVersion" });
export type CalendarVersion = z.output<typeof calendarVersion>;

const tag = "Calendars";
const byId = z.strictObject({ id: calendarId });

export const listCalendarsContract = contract({
  operationId: "listCalendars",
  method: "GET",
  path: "/v1/calendars",
  tag,
  summary: "List calendars, newest first",
  access: needs("read:calendars"),
  query: z.strictObject(pageQuery),
  response: page(calendar),
});

const body = z.strictObject({
  ...settable,
  special_days: specialDays.default([]).meta({ example: CHRISTMAS }),
});

export const createCalendarContract = contract({
  operationId: "createCalendar",
  method: "POST",
  path: "/v1/calendars",
  tag,
  summary: "Create a calendar",
  description:
    "When your team works. It is open whenever the local clock shows a time inside an " +
    "interval: the hour skipped in spring is never open, the hour repeated in autumn is open " +
    "twice. At most 100 calendars.",
  access: needs("write:calendars"),
  idempotency: { field: "idempotency_key", required: false },
  body,
  response: calendar,
  resource: "versioned",
  status: 201,
  errors: ["conflict"],
});

export const getCalendarContract = contract({
  operationId: "getCalendar",
  method: "GET",
  path: "/v1/calendars/{id}",
  tag,
  summary: "Get a calendar",
  access: needs("read:calendars"),
  params: byId,
  response: calendar,
  resource: "versioned",
});

const count = z.int().min(0);

const calendarChange = calendar
  .extend({
    dry_run: z.boolean().meta({ example: true }),
    impact: z
      .object({
        changed: count.meta({ description: "Open exceptions whose deadline moves.", example: 12 }),
        earlier: count,
        later: count,
        newly_breached: count,
        no_longer_breached: count,
        by_severity: z.object({ critical: count, high: count, medium: count, low: count }),
        periods: count.meta({
          description: "Open reconciliations whose matching counts business days by this calendar.",
          example: 2,
        }),
      })
      .meta({ id: "CalendarImpact" }),
  })
  .meta({ id: "CalendarChange" });

export const putCalendarContract = contract({
  operationId: "putCalendar",
  method: "PUT",
  path: "/v1/calendars/{id}",
  tag,
  summary: "Set a calendar",
  description:
    "Changed hours make a new version, which new deadlines use. apply_to: open also moves open " +
    "deadlines that the SLA policy set; events already sent stand. Open reconciliations with " +
    "this calendar are matched again with the new version, whatever apply_to says: at once " +
    "with auto_run, otherwise at their next run. With dry_run, nothing changes: the response " +
    "previews the effect.",
  access: needs("write:calendars"),
  params: byId,
  body: body.extend({
    apply_to: z.enum(["new", "open"]).default("new").meta({ example: "open" }),
    dry_run: z.boolean().default(false).meta({ example: true }),
  }),
  response: calendarChange,
  resource: "versioned",
  dryRun: "asked",
});

export const listCalendarVersionsContract = contract({
  operationId: "listCalendarVersions",
  method: "GET",
  path: "/v1/calendars/{id}/versions",
  tag,
  summary: "List a calendar's versions, newest first",
  description: "Every change of its hours, and how many open exceptions use each version.",
  access: needs("read:calendars"),
  params: byId,
  query: z.strictObject(pageQuery),
  response: page(calendarVersion),
});

export const listOpenHoursContract = contract({
  operationId: "listOpenHours",
  method: "GET",
  path: "/v1/calendars/{id}/open-hours",
  tag,
  summary: "List when a calendar is open",
  description: `In UTC, over at most ${PREVIEW_DAYS} days.`,
  access: needs("read:calendars"),
  params: byId,
  query: z
    .strictObject({
      since: timestamp.meta({ example: "2026-11-16T00:00:00.000Z" }),
      until: timestamp.meta({ example: "2026-11-23T00:00:00.000Z" }),
    })
    .refine(({ since, until }) => since < until, { error: "Must be after since.", path: ["until"] })
    .refine(({ since, until }) => Date.parse(until) - Date.parse(since) <= PREVIEW_DAYS * DAY_MS, {
      error: `Must be at most ${PREVIEW_DAYS} days after since.`,
      path: ["until"],
    }),
  response: z
    .object({
      since: time,
      until: time,
      open_minutes: z.int().min(0).meta({ example: 2400 }),
      spans: z
        .array(z.object({ starts_at: time, ends_at: time }))
        .max(INTERVALS_A_DAY * (PREVIEW_DAYS + 2)),
    })
    .meta({ id: "OpenHours" }),
});

const code = z
  .string()
  .min(1)
  .max(12)
  .regex(/^[A-Za-z0-9-]+$/, "Must be a code of letters, digits and hyphens, for example DE.");
const country = code.meta({ description: "ISO 3166-1.", example: "DE" });
const holiday = z.object({
  date: z.iso.date().meta({ example: "2027-01-06" }),
  name: z.string().max(200).meta({ example: "Epiphany" }),
  kind: z.enum(["public", "bank"]),
});
const place = z.object({
  code: code.meta({ example: "BY" }),
  name: z.string().max(200).meta({ example: "Bayern" }),
});

export const listHolidayCountriesContract = contract({
  operationId: "listHolidayCountries",
  audience: "dashboard",
  method: "GET",
  path: "/v1/holidays/countries",
  tag,
  summary: "List the countries whose holidays are known",
  access: needs("read:calendars"),
  functions: ["list_holidays"],
  response: z.object({ items: z.array(place).max(400) }).meta({ id: "HolidayCountries" }),
});

export const listHolidaysContract = contract({
  operationId: "listHolidays",
  audience: "dashboard",
  method: "GET",
  path: "/v1/holidays",
  tag,
  summary: "Propose the holidays of a country",
  description:
    "Public and bank holidays of one year, for you to review: nothing is added to a calendar " +
    "until you send it as special_days. From date-holidays (CC BY 3.0).",
  access: needs("read:calendars"),
  query: z.strictObject({
    country,
    region: code.optional().meta({ description: "One of the response's regions.", example: "BY" }),
    year: queryInteger(1970, 2999).meta({ example: 2027 }),
  }),
  response: z
    .object({
      regions: z
        .array(place)
        .max(400)
        .meta({ description: "The country's regions, for a narrower request." }),
      items: z.array(holiday).max(400),
    })
    .meta({ id: "Holidays" }),
});

const ICS_MAX = 500_000;

export const readIcsContract = contract({
  operationId: "readIcs",
  audience: "dashboard",
  method: "POST",
  path: "/v1/calendars/read-ics",
  tag,
  summary: "Read special days from an ICS file",
  description:
    "All-day events (RFC 5545) become closed days; yearly and monthly ones for five years " +
    "ahead. Moved and cancelled occurrences are respected. Nothing is added to a calendar " +
    "until you send the days as special_days.",
  access: needs("write:calendars"),
  idempotency: { field: "idempotency_key", required: false },
  body: z.strictObject({
    ics: z
      .string()
      .min(1)
      .max(ICS_MAX)
      .meta({
        description: "The text of the file.",
        example:
          "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Example//EN\r\n" +
          "BEGIN:VEVENT\r\nUID:1\r\nDTSTAMP:20261101T000000Z\r\n" +
          "DTSTART;VALUE=DATE:20261225\r\nSUMMARY:Christmas Day\r\nEND:VEVENT\r\n" +
          "END:VCALENDAR\r\n",
      }),
  }),
  response: z
    .object({
      special_days: z.array(specialDay).max(SPECIAL_DAYS_MAX),
      skipped: z
        .int()
        .min(0)
        .meta({
          description:
            "Events that aren't all-day, last over 31 days, were cancelled, are only " +
            "observed or recur in other ways, and those beyond 2,000 events or 1,000 days.",
          example: 0,
        }),
      skipped_events: z
        .array(
          z.object({
            line: z.int().min(1).meta({ description: "When it begins.", example: 4 }),
            name: z
              .string()
              .max(SPECIAL_DAY_NAME_MAX)
              .nullable()
              .meta({ example: "Founders' day" }),
            reason: z.enum(SKIP_REASONS).meta({
              description:
                "`observance`: an observed day, not a holiday. `recurrence`: it recurs in a " +
                "way that isn't supported.",
              example: "cancelled",
            }),
          }),
        )
        .max(SKIPPED_EVENTS_MAX)
        .meta({ description: "The first 100 of them.", example: [] }),
    })
    .meta({ id: "IcsDays" }),
});

export const getCalendarIcsContract = contract({
  operationId: "getCalendarIcs",
  method: "GET",
  path: "/v1/calendars/{id}/ics",
  tag,
  summary: "Get a calendar's special days as ICS",
  description:
    "One all-day event for each day. Special hours are in X-TIEOUT-INTERVALS, which an " +
    "import of the file reads.",
  access: needs("read:calendars"),
  functions: ["get_calendar"],
  params: byId,
  response: z
    .object({
      ics: z
        .string()
        .max(1_000_000)
        .meta({ example: "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nEND:VCALENDAR\r\n" }),
    })
    .meta({ id: "CalendarIcs" }),
});
