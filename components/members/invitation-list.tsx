"use client";

import { Clock, MailX } from "lucide-react";
import { callApi } from "#components/api-client.ts";
import { useTenantId } from "#components/kit/member.tsx";
import { roleNames } from "#components/kit/role-names.ts";
import { useList } from "#components/kit/use-list.ts";
import { useMutate } from "#components/kit/use-mutate.ts";
import { personName } from "#components/people/person.tsx";
import { Badge } from "#components/ui/badge.tsx";
import { Button } from "#components/ui/button.tsx";
import { Time } from "#components/ui/time.tsx";
import { toast } from "#components/ui/toast.ts";
import {
  type Invitation,
  resendInvitationContract,
  revokeInvitationContract,
} from "#lib/invitations/contract.ts";
import { invitationPages, peopleKey } from "./queries.ts";

const OPEN = ["pending", "expired"];

/** Pending and expired invitations: an admin can do something about both. */
export function InvitationList() {
  const tenant = useTenantId();
  const { items } = useList(invitationPages(tenant));
  const open = items.filter(({ status }) => OPEN.includes(status));
  if (open.length === 0) return null;
  return (
    <section aria-labelledby="invitations" className="pt-8">
      <h2 id="invitations" className="pb-2 text-sm font-medium">
        Invitations
      </h2>
      <ul className="border-t border-line">
        {open.map((invitation) => (
          <Row key={invitation.id} invitation={invitation} />
        ))}
      </ul>
    </section>
  );
}

function Row({
  invitation: { id, email, roles, status, created_by, sent_at, expires_at },
}: {
  invitation: Invitation;
}) {
  const tenant = useTenantId();
  const stale = peopleKey(tenant);
  const of = { tenant, params: { id: tenant, invitationId: id } };
  const resend = useMutate({
    send: (_: undefined, idempotencyKey) =>
      callApi(resendInvitationContract, { ...of, idempotencyKey }),
    onDone: () =>
      toast(`Sent a new link to ${email}`, { description: "The previous one no longer works." }),
    failed: "Couldn't send it",
    stale,
  });
  const revoke = useMutate({
    send: () => callApi(revokeInvitationContract, of),
    onDone: () => toast(`Revoked the invitation for ${email}`),
    failed: "Couldn't revoke it",
    stale,
  });
  const isPending = resend.isPending || revoke.isPending;
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-line px-2 py-3 text-sm">
      <div className="min-w-48 flex-1">
        <p className="truncate font-medium" title={email}>
          {email}
        </p>
        <p className="text-muted">
          {roleNames(roles)} · invited by {personName(created_by)} ·{" "}
          {sent_at === null ? (
            "sending…"
          ) : (
            <>
              sent <Time iso={sent_at} />
            </>
          )}
        </p>
      </div>
      {status === "expired" ? (
        <Badge tone="warning" icon={MailX}>
          Expired
        </Badge>
      ) : (
        <span className="flex items-center gap-1.5 text-muted">
          <Clock aria-hidden className="size-3.5" />
          until <Time iso={expires_at} />
        </span>
      )}
      <div className="flex gap-2">
        <Button
          size="sm"
          disabled={isPending}
          aria-label={`Resend the invitation for ${email}`}
          onClick={() => resend.start(undefined)}
        >
          Resend
        </Button>
        <Button
          size="sm"
          disabled={isPending}
          aria-label={`Revoke the invitation for ${email}`}
          onClick={() => revoke.start()}
        >
          Revoke
        </Button>
      </div>
    </li>
  );
}
