import type { Metadata } from "next";
import { createLoader, type SearchParams } from "nuqs/server";
import { Prefetched, prefetch } from "#app/prefetched.tsx";
import { RolePage } from "#components/kit/role-page.tsx";
import { MembersPage } from "#components/members/members-page.tsx";
import { invitationPages, memberPages } from "#components/members/queries.ts";
import { memberSearch } from "#components/members/search.ts";
import { listInvitations } from "#lib/invitations/list-invitations.ts";
import { listTenantMembersContract } from "#lib/members/contract.ts";
import { listTenantMembers } from "#lib/members/list-tenant-members.ts";

export const metadata: Metadata = { title: "Members" };

const loadSearch = createLoader(memberSearch);

type Props = { params: Promise<{ tenant: string }>; searchParams: Promise<SearchParams> };

export default async function Members({ params, searchParams }: Props) {
  const { tenant } = await params;
  const { q } = await loadSearch(searchParams);
  return (
    <Prefetched
      reads={[
        prefetch(memberPages(tenant, q), ({ ctx, query }) => listTenantMembers(ctx, query)),
        prefetch(invitationPages(tenant), ({ ctx, query }) => listInvitations(ctx, query)),
      ]}
    >
      <RolePage
        access={listTenantMembersContract.access}
        title="Members"
        refusal={{
          title: "Admins manage members",
          reason: "Only admins can invite members and change their roles.",
          remedy: "Ask a tenant admin to invite someone.",
        }}
      >
        <MembersPage />
      </RolePage>
    </Prefetched>
  );
}
