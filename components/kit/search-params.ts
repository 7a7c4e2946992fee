import { createParser } from "nuqs/server";
import { idPattern } from "#lib/wire/schema.ts";

/** Accepts matching text; anything else counts as absent. */
export function parseAsMatching(pattern: RegExp) {
  return createParser({ parse: (text) => (pattern.test(text) ? text : null), serialize: String });
}

/** The ID of the open resource: `key_…`. */
export function parseAsId(prefix: string) {
  return parseAsMatching(idPattern(prefix));
}

const DAY = /^(?:19[7-9]|2\d\d)\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/;

/** A day of 1970 to 2999, `YYYY-MM-DD`. */
export const parseAsDay = createParser({
  parse: (text) => (DAY.test(text) && !Number.isNaN(Date.parse(text)) ? text : null),
  serialize: String,
});

const MOMENT = /^(?:19[7-9]|2\d\d)\d-[01]\d-[0-3]\dT[0-2]\d:[0-5]\d:[0-5]\d\.\d{3}Z$/;

/** A time in the API's format: UTC, 1970 to 2999. */
export const parseAsMoment = createParser({
  parse: (text) => (MOMENT.test(text) && !Number.isNaN(Date.parse(text)) ? text : null),
  serialize: String,
});

/** The query of a list from search values, without empty ones; several are separated by commas. */
export function queryOf(
  values: Record<string, string | number | boolean | readonly string[] | null | undefined>,
): Record<string, string> {
  const entries = Object.entries(values).map(([name, value]) => [name, String(value ?? "")]);
  return Object.fromEntries(entries.filter(([, text]) => text !== ""));
}
