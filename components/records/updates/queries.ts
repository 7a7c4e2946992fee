import { listQuery } from "#components/kit/query.ts";
import { surfaceOf } from "../surface.ts";

export const RELEASE_NOTES = "release-notes";

/** The tenant's published release notes, all that the publishable key can read. */
export function updatePages(tenant: string, publishableKey: string) {
  return listQuery({
    keyPrefix: ["public", tenant],
    contract: surfaceOf(RELEASE_NOTES).contracts.list,
    call: { tenant, credential: publishableKey, query: { limit: "20" } },
  });
}
