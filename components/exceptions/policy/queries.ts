import { oneQuery, resourceKey, versionQuery } from "#components/kit/query.ts";
import { listCalendarsContract } from "#lib/calendars/contract.ts";
import { getSlaPolicyContract } from "#lib/exceptions/sla/contract.ts";

/** The policy with its ETag, for If-Match. */
export function slaPolicy(tenant: string) {
  return versionQuery({ under: resourceKey(tenant, "sla-policy"), contract: getSlaPolicyContract, call: { tenant } });
}

/** All calendars: a tenant has at most 100. */
export function calendarsQuery(tenant: string) {
  return oneQuery({ under: resourceKey(tenant, "calendars"), contract: listCalendarsContract, call: { tenant, query: { limit: 250 } } });
}
