import { resourceKey, versionQuery } from "#components/kit/query.ts";
import { getSlaPolicyContract } from "#lib/exceptions/sla/contract.ts";

/** The policy, and the ETag by which a change says what it was made on. */
export function slaPolicy(tenant: string) {
  return versionQuery({ under: resourceKey(tenant, "sla-policy"), contract: getSlaPolicyContract, call: { tenant } });
}
