import { listQuery, resourceKey } from "#components/kit/query.ts";
import { queryOf } from "#components/kit/search-params.ts";
import { listInvitationsContract } from "#lib/invitations/contract.ts";
import { listTenantMembersContract } from "#lib/members/contract.ts";

const PAGE_SIZE = 50;
const REFRESH_MS = 10_000;

/** What a change of a member or an invitation makes stale, including the list of assignees. */
export function peopleKey(tenant: string) {
  return resourceKey(tenant, "people");
}

export function memberPages(tenant: string, q: string | null) {
  const call = { tenant, params: { id: tenant }, query: queryOf({ q, limit: PAGE_SIZE }) };
  return listQuery({ keyPrefix: peopleKey(tenant), contract: listTenantMembersContract, call });
}

/** Newest first. Polled, because mails are sent and invitations accepted in the background. */
export function invitationPages(tenant: string) {
  const call = { tenant, params: { id: tenant }, query: { limit: PAGE_SIZE } };
  return listQuery(
    { keyPrefix: peopleKey(tenant), contract: listInvitationsContract, call },
    { refreshMs: () => REFRESH_MS },
  );
}
