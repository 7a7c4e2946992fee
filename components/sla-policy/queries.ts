import { queryOptions } from "@tanstack/react-query";
import { callApiWithTag } from "#components/api-client.ts";
import { getSlaPolicyContract } from "#lib/exceptions/sla/contract.ts";

/** The policy, and the ETag by which a change says what it was made on. */
export function slaPolicyQuery(tenant: string) {
  return queryOptions({
    queryKey: ["tenants", tenant, "sla-policy"],
    queryFn: ({ signal }) => callApiWithTag(getSlaPolicyContract, { tenant, signal }),
  });
}
