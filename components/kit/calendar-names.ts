import { listCalendarsContract } from "#lib/calendars/contract.ts";
import { resourceKey, singleQuery } from "./query.ts";

/** All calendars: a tenant has at most 100. */
export function calendarsQuery(tenant: string) {
  return singleQuery({
    keyPrefix: resourceKey(tenant, "calendars"),
    contract: listCalendarsContract,
    call: { tenant, query: { limit: 250 } },
  });
}
