import { listQuery, resourceKey, singleQuery, versionQuery } from "#components/kit/query.ts";
import {
  getCalendarContract,
  listCalendarsContract,
  listCalendarVersionsContract,
  listHolidayCountriesContract,
  listHolidaysContract,
} from "#lib/calendars/contract.ts";
import { getSlaPolicyContract } from "#lib/exceptions/sla/contract.ts";

const PAGE_SIZE = 50;

/** The cache key of a tenant's calendars. */
export const calendarsKey = (tenant: string) => resourceKey(tenant, "calendars");

export function calendarPages(tenant: string) {
  return listQuery({
    keyPrefix: calendarsKey(tenant),
    contract: listCalendarsContract,
    call: { tenant, query: { limit: String(PAGE_SIZE) } },
  });
}

/** A calendar with its ETag, for If-Match. */
export function calendarById(tenant: string, id: string) {
  return versionQuery({
    keyPrefix: calendarsKey(tenant),
    contract: getCalendarContract,
    call: { tenant, params: { id } },
  });
}

/** The newest versions of its hours. */
export function versionsOf(tenant: string, id: string) {
  return singleQuery({
    keyPrefix: calendarsKey(tenant),
    contract: listCalendarVersionsContract,
    call: { tenant, params: { id }, query: { limit: "20" } },
  });
}

/** The SLA policy, which says for which severities a calendar counts. */
export function policyOf(tenant: string) {
  return versionQuery({
    keyPrefix: resourceKey(tenant, "sla-policy"),
    contract: getSlaPolicyContract,
    call: { tenant },
  });
}

export function holidayCountries(tenant: string) {
  return singleQuery(
    {
      keyPrefix: resourceKey(tenant, "holidays"),
      contract: listHolidayCountriesContract,
      call: { tenant },
    },
    { staleTime: Number.POSITIVE_INFINITY },
  );
}

export function holidaysOf(
  tenant: string,
  { country, region, year }: { country: string; region: string; year: string },
) {
  return singleQuery(
    {
      keyPrefix: resourceKey(tenant, "holidays"),
      contract: listHolidaysContract,
      call: { tenant, query: { country, year, ...(region !== "" && { region }) } },
    },
    { enabled: country !== "", staleTime: Number.POSITIVE_INFINITY },
  );
}
