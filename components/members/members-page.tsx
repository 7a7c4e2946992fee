"use client";

import { SearchX, UserPlus, Users } from "lucide-react";
import Link from "next/link";
import { useState } from "react";
import { ListBody } from "#components/kit/list-body.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { Page } from "#components/kit/page.tsx";
import { useList } from "#components/kit/use-list.ts";
import { useSearch } from "#components/kit/use-search.ts";
import { Button } from "#components/ui/button.tsx";
import { Note } from "#components/ui/note.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { SearchField } from "#components/ui/search-field.tsx";
import { isSandbox, liveTenantOf } from "#lib/wire/sandbox.ts";
import { EditRolesDialog } from "./edit-roles-dialog.tsx";
import { InvitationList } from "./invitation-list.tsx";
import { InviteDialog } from "./invite-dialog.tsx";
import { MemberSkeleton } from "./member-skeleton.tsx";
import { type MemberAction, MemberTable } from "./member-table.tsx";
import { memberPages } from "./queries.ts";
import { RemoveDialog } from "./remove-dialog.tsx";
import { memberSearch } from "./search.ts";

export function MembersPage() {
  const tenant = useTenantId();
  const { search, set, isFiltered, clear } = useSearch(memberSearch, ["q"]);
  const list = useList(memberPages(tenant, search.q));
  const [action, setAction] = useState<MemberAction>();
  const close = () => setAction(undefined);
  return (
    <Page
      title="Members"
      actions={
        !isSandbox(tenant) && (
          <Button variant="primary" onClick={() => set({ invite: true })}>
            <UserPlus aria-hidden className="size-4" />
            Invite
          </Button>
        )
      }
    >
      {isSandbox(tenant) && <SandboxPeople tenant={tenant} />}
      <div className="flex pb-4 short:pb-2">
        <SearchField
          label="Search members"
          value={search.q ?? ""}
          onChange={(q) => set({ q: q || null })}
        />
      </div>
      <ListBody
        list={list}
        skeleton={<MemberSkeleton />}
        bare={
          isFiltered ? (
            <Notice
              icon={SearchX}
              title="No matching members"
              action={<Button onClick={clear}>Clear search</Button>}
            >
              Try part of the email address.
            </Notice>
          ) : (
            <Notice
              icon={Users}
              title="No members yet"
              action={
                !isSandbox(tenant) && (
                  <Button variant="primary" onClick={() => set({ invite: true })}>
                    Invite people
                  </Button>
                )
              }
            >
              People who sign in with your identity provider get their roles from it and aren't
              listed here.
            </Notice>
          )
        }
      >
        {() => <MemberTable items={list.items} stale={list.isStale} onAction={setAction} />}
      </ListBody>
      <InvitationList />
      {search.invite && !isSandbox(tenant) && (
        <InviteDialog onClose={() => set({ invite: null })} />
      )}
      {action?.kind === "roles" && <EditRolesDialog member={action.member} onClose={close} />}
      {action?.kind === "remove" && <RemoveDialog member={action.member} onClose={close} />}
    </Page>
  );
}

function SandboxPeople({ tenant }: { tenant: string }) {
  return (
    <div className="pb-4">
      <Note tone="info">
        A sandbox has the members of its live tenant.{" "}
        <Link href={`/${liveTenantOf(tenant)}/members`} className="font-medium underline">
          Invite them and change their roles there
        </Link>
        .
      </Note>
    </div>
  );
}
