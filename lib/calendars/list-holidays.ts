import type { z } from "zod";
import { read } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import { invalidRequest } from "../wire/errors.ts";
import { calendarThreads } from "./calendar-tasks.ts";
import type { listHolidayCountriesContract, listHolidaysContract } from "./contract.ts";

type Contract = typeof listHolidaysContract;
type Places = z.output<typeof listHolidayCountriesContract.response>["items"];

export async function listHolidays(
  ctx: Context,
  { country, region, year }: z.output<Contract["query"]>,
): Promise<z.output<Contract["response"]>> {
  await read(ctx, "list_holidays", {});
  const found = await calendarThreads().run<z.output<Contract["response"]> | undefined>({
    kind: "holidays",
    country: country.toUpperCase(),
    region: region?.toUpperCase(),
    year,
  });
  if (!found) {
    throw invalidRequest([
      {
        path: region === undefined ? "country" : "region",
        message: "No holidays are known for it. Get /v1/holidays/countries for those that are.",
      },
    ]);
  }
  return found;
}

export async function listHolidayCountries(
  ctx: Context,
): Promise<z.output<typeof listHolidayCountriesContract.response>> {
  await read(ctx, "list_holidays", {});
  return { items: await calendarThreads().run<Places>({ kind: "countries" }) };
}
