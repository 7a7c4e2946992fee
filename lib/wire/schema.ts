/** The common types of the API. Safe in the browser. */
import { z } from "zod";

/** Enough for fractional seconds of any useful length. */
const TIMESTAMP_MAX = 64;
const EARLIEST = Date.UTC(1970, 0, 1);
const LATEST = Date.UTC(3000, 0, 1);

function isKnownYear(text: string): boolean {
  return Date.parse(text) >= EARLIEST && Date.parse(text) < LATEST;
}

const OFFSET = /(?:[+-]\d{2}:?\d{2}| \d{2}:\d{2})$/;

function timeFault(input: unknown): string {
  const offset = typeof input === "string" ? OFFSET.exec(input)?.[0] : undefined;
  if (offset === " 00:00") return "Write Z, or %2B00:00 for +00:00: in a URL, + is a space.";
  if (offset !== undefined)
    return `Must be in UTC, ending in Z or +00:00, not in ${offset.trim()}.`;
  return "Must be an ISO 8601 time in UTC, for example 2030-01-31T09:30:00.000Z.";
}

/**
 * ISO 8601 in UTC (`Z` or `+00:00`; seconds and fractions optional), 1970 to 2999; normalised to
 * milliseconds and `Z`.
 */
export const timestamp = z
  .string({ error: ({ input }) => timeFault(input) })
  .overwrite((text) => text.replace(/\+00:00$/, "Z").replace(/(?<=T\d\d:\d\d)Z$/, ":00Z"))
  .pipe(z.iso.datetime({ error: ({ input }) => timeFault(input), abort: true }))
  .refine(isKnownYear, "Must be between 1970 and 2999.")
  .transform((text) => new Date(text).toISOString())
  .meta({
    example: "2026-11-20T09:30:00.000Z",
    override: {
      type: "string",
      format: "date-time",
      pattern: "(?:Z|\\+00:00)$",
      maxLength: TIMESTAMP_MAX,
    },
  });

/** A time in a response: ISO 8601 in UTC with milliseconds. */
export const time = z.iso
  .datetime({ precision: 3 })
  .meta({ example: "2026-11-20T09:30:00.000Z", override: { pattern: "\\.\\d{3}Z$" } });

const DATE_FAULT = {
  error: "Must be a date between 1970 and 2999, for example 2026-10-31.",
  abort: true,
};

/** A day of 1970 to 2999, `YYYY-MM-DD`. A UTC time is read as its day. */
export const calendarDate = z
  .union(
    [
      z.iso.date(DATE_FAULT).refine(isKnownYear, DATE_FAULT),
      timestamp.transform((text) => text.slice(0, 10)),
    ],
    { error: DATE_FAULT.error },
  )
  .meta({ example: "2026-10-31" });

function isTimeZone(name: string): boolean {
  try {
    return (
      new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "" &&
      !/^[+-]/.test(name)
    );
  } catch {
    return false;
  }
}

/** The name of an IANA time zone. */
export const timeZone = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .refine(isTimeZone, "Give an IANA time zone, for example Europe/Berlin.")
    .meta({ example: "Europe/Berlin" });

/** The format of a secret field (OpenAPI). The request log omits the values of such fields. */
export const SECRET_FORMAT = "password";

/**
 * The limit of Unicode's stream-safe format (UAX 15): sorting a longer run of combining marks takes
 * quadratic time.
 */
const ENDLESS_MARKS = /\p{M}{31}/u;

/** Text in Unicode's normal form C, or unchanged if it has longer runs of marks than any script. */
export const normalText = () =>
  z.string().overwrite((value) => (ENDLESS_MARKS.test(value) ? value : value.normalize("NFC")));

export const USER_REFERENCE = /^user:[^\s]{1,120}$/u;
export const userReference = normalText()
  .regex(USER_REFERENCE, { error: "Must be user:<name>, for example user:ada.", abort: true })
  .refine(
    (value) => isVisible(value.slice("user:".length)),
    "The name must have a visible character.",
  )
  .meta({ example: "user:ada" });

/** A user in a response. */
export const user = z.string().regex(USER_REFERENCE).meta({ example: "user:ada" });

/** The actor of a record or event: `user:<name>`, `api_key:<id>`, `service_role` or `system`. */
export const actor = z.string().meta({ example: "user:ada" });

/** The unique identity of an actor, because two people can choose the same name. */
export const person = {
  actor_issuer: z.string().nullable().meta({ example: "https://login.acme.example" }),
  actor_subject: z.string().nullable().meta({ example: "8f14e45f" }),
};

/**
 * White space, control characters, and characters without a glyph (Unicode's
 * Default_Ignorable_Code_Point; the Braille blank).
 */
const VISIBLE_CHARACTER = /[^\s\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** Whether a text has a visible character. */
export function isVisible(value: string): boolean {
  return VISIBLE_CHARACTER.test(value);
}

/**
 * Text of 1 to `max` characters, at least one of them visible. It is stored and compared in
 * Unicode's normal form C.
 */
export const text = (max: number) =>
  normalText().min(1).max(max).refine(isVisible, "Must have a visible character.");

const SEARCHED_WORDS_MAX = 12;

/** A search text. Each word is compared with all of a tenant's rows, so their number is limited. */
export const searchedText = text(200).refine(
  (words) => new Set(words.toLowerCase().split(/\s+/)).size <= SEARCHED_WORDS_MAX,
  `Search for at most ${SEARCHED_WORDS_MAX} words.`,
);

export const tenantId = z
  .string()
  .max(71)
  .regex(/^[a-z0-9][a-z0-9_-]{0,62}(\.sandbox)?$/)
  .meta({ example: "acme" });

export const idPattern = (prefix: string) => new RegExp(`^${prefix}_[0-9a-z]{20,40}$`);

export function id(prefix: string) {
  return z
    .string()
    .regex(idPattern(prefix), `Must be an ID (${prefix}_…).`)
    .meta({ example: `${prefix}_019a9f4be2c04d6f8a1b3c5d7e9f0a2b` });
}

export const requestId = z
  .string()
  .regex(idPattern("req"), "Must be an ID (req_…).")
  .meta({ description: "The X-Request-Id.", example: "req_019a9f4be2c04d6f8a1b3c5d7e9f0a2b" });

/**
 * A whole number in a query string: digits only, so 1e3, +1, 0x1 and blanks are rejected. OpenAPI
 * describes it as an integer.
 */
export const queryInteger = (min: number, max: number = Number.MAX_SAFE_INTEGER) =>
  z
    .string()
    .regex(/^-?\d{1,16}$/, "Must be an integer.")
    .transform(Number)
    .pipe(z.int().min(min).max(max))
    .meta({ override: { type: "integer", minimum: min, maximum: max, pattern: undefined } });

/** True or false in a query string. OpenAPI describes it as a boolean. */
export const queryBoolean = z
  .enum(["true", "false"])
  .meta({ example: true, override: { type: "boolean", enum: undefined } });

/** The maximum number of values of one filter. */
const LISTED_MAX = 20;
const LISTED_CHARACTERS_MAX = 4000;
/** Enough for an assignee, the longest value. */
const LISTED_VALUE_MAX = 125;

/**
 * One or more values in a query string, separated by commas: `critical,high`. OpenAPI describes it
 * as an array. `form` is the format of a value, as the source of a regular expression; `choices`
 * are the values if they are known. `separator` is needed if values can contain commas. `read`
 * converts a value as written.
 */
export function queryList<Value extends string>(
  is: (value: string) => value is Value,
  {
    form,
    choices,
    what,
    separator = /,/,
    read = (value) => value,
  }: {
    /** Any text if omitted. */
    form?: string;
    choices?: readonly string[];
    what: string;
    separator?: RegExp;
    read?: (value: string) => string;
  },
) {
  return z
    .string()
    .max(LISTED_CHARACTERS_MAX)
    .transform((listed, context): Value[] => {
      const values = [
        ...new Set(listed.split(separator).map((value) => read(value.normalize("NFC")))),
      ];
      if (values.length <= LISTED_MAX && values.every(is)) return values;
      context.addIssue({
        code: "custom",
        input: listed,
        message: `Must be ${what}, or up to ${LISTED_MAX} of them separated by commas.`,
      });
      return z.NEVER;
    })
    .meta({
      override: {
        type: "array",
        items: { type: "string", ...itemOf(form, choices) },
        minItems: 1,
        maxItems: LISTED_MAX,
        maxLength: undefined,
      },
    });
}

function itemOf(form: string | undefined, choices: readonly string[] | undefined) {
  if (choices) return { enum: [...choices] };
  if (form) return { pattern: `^(?:${form})$`, maxLength: LISTED_VALUE_MAX };
  return { minLength: 1, maxLength: LISTED_VALUE_MAX };
}

/** A list of known values in a query string. */
export function queryChoices<const Value extends string>(choices: readonly Value[]) {
  const known: readonly string[] = choices;
  return queryList((value): value is Value => known.includes(value), {
    choices,
    what: `one of ${choices.join(", ")}`,
  });
}

/** The query of every list. */
export const pageQuery = {
  limit: queryInteger(1, 250)
    .default(50)
    .meta({ description: "Maximum number of items.", example: 50, override: { default: 50 } }),
  cursor: z.string().min(1).max(2000).optional().meta({
    description: "next_cursor from the previous page, unchanged.",
    example: "WyJleGNfMDE5YSJd",
  }),
};

export function page<Item extends z.ZodType>(item: Item) {
  return z.object({
    items: z.array(item),
    next_cursor: z
      .string()
      .nullable()
      .meta({ description: "Null on the last page.", example: null }),
  });
}
