import { listHolidayCountriesContract } from "#lib/calendars/contract.ts";
import { listHolidayCountries } from "#lib/calendars/list-holidays.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(listHolidayCountriesContract, ({ ctx }) => listHolidayCountries(ctx)),
);
