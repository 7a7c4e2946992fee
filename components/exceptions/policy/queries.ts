import { resourceKey, versionQuery } from "#components/kit/query.ts";
import { getSlaPolicyContract } from "#lib/exceptions/sla/contract.ts";

/** The policy with its ETag, for If-Match. */
export function slaPolicy(tenant: string) {
  return versionQuery({
    keyPrefix: resourceKey(tenant, "sla-policy"),
    contract: getSlaPolicyContract,
    call: { tenant },
  });
}
