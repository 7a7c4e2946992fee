import type Holidays from "date-holidays";
import { daysFrom, daysIn } from "./days.ts";

const HOLIDAY_KINDS = ["public", "bank"] as const;

export type Holiday = { date: string; name: string; kind: (typeof HOLIDAY_KINDS)[number] };
type Place = { code: string; name: string };

/** Loaded on first use, because the library's data take megabytes. */
async function library(): Promise<typeof Holidays> {
  return (await import("date-holidays")).default;
}

/** The countries whose holidays are known, by English name. */
export async function countries(): Promise<Place[]> {
  const known = new (await library())();
  return places(known.getCountries("en"));
}

/**
 * The regions of a country, and its public and bank holidays of one year, one per day. Undefined if
 * the country or region doesn't exist.
 */
export async function holidaysOf(
  country: string,
  region: string | undefined,
  year: number,
): Promise<{ regions: Place[]; items: Holiday[] } | undefined> {
  const Library = await library();
  const states: Record<string, string> = new Library().getStates(country, "en") ?? {};
  if (!(country in new Library().getCountries()) || (region !== undefined && !(region in states)))
    return undefined;
  const known = region === undefined ? new Library(country) : new Library(country, region);
  const days = new Map<string, Holiday>();
  for (const { date, start, end, name, type } of known.getHolidays(year, "en") ?? []) {
    const kind = HOLIDAY_KINDS.find((kind) => kind === type);
    if (!kind) continue;
    for (const day of daysFrom(
      Date.parse(`${date.slice(0, 10)}T00:00:00Z`),
      daysIn(end.getTime() - start.getTime()),
    )) {
      if (!days.has(day) || kind === "public") days.set(day, { date: day, name, kind });
    }
  }
  const items = [...days.values()].sort((a, b) => a.date.localeCompare(b.date));
  return { regions: places(states), items };
}

function places(names: Record<string, string>): Place[] {
  return Object.entries(names)
    .map(([code, name]) => ({ code, name }))
    .sort((a, b) => a.name.localeCompare(b.name));
}
