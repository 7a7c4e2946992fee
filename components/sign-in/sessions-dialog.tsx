"use client";

import { useQuery } from "@tanstack/react-query";
import { Monitor } from "lucide-react";
import { callApi } from "#components/api-client.ts";
import { PartSkeleton } from "#components/kit/list-skeleton.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { ProblemNote } from "#components/kit/problem-note.tsx";
import { ProblemNotice } from "#components/kit/problem-notice.tsx";
import { resourceKey, singleQuery } from "#components/kit/query.ts";
import { useMutate } from "#components/kit/use-mutate.ts";
import { Badge } from "#components/ui/badge.tsx";
import { Button } from "#components/ui/button.tsx";
import { Dialog, DialogActions, DialogBody } from "#components/ui/dialog.tsx";
import { Time } from "#components/ui/time.tsx";
import { endSessionsContract, listSessionsContract, type Session } from "#lib/sessions/contract.ts";
import { browserName } from "./browser-name.ts";
import { notifyOtherTabs } from "./session-state.ts";

const MAX = 100;

function sessionsOf(tenant: string) {
  return singleQuery({
    keyPrefix: resourceKey(tenant, "sessions"),
    contract: listSessionsContract,
    call: { tenant, query: { limit: MAX } },
  });
}

/** The browsers that the member is signed in with, across tenants. */
export function SessionsDialog({ onClose }: { onClose: () => void }) {
  const tenant = useTenantId();
  const sessions = sessionsOf(tenant);
  const { data, error, refetch } = useQuery(sessions);
  const one = useMutate({
    send: (id: string, idempotencyKey) =>
      callApi(endSessionsContract, { tenant, body: { ids: [id] }, idempotencyKey }),
    stale: sessions.queryKey,
  });
  const all = useMutate({
    send: (_: undefined, idempotencyKey) =>
      callApi(endSessionsContract, { tenant, body: {}, idempotencyKey }),
    onDone() {
      notifyOtherTabs("signed-out");
      // A full load, so that nothing of the session stays in memory.
      window.location.assign("/sign-in");
    },
  });
  const isPending = one.isPending || all.isPending;
  const failure = one.error ?? all.error;

  return (
    <Dialog
      title="Sessions"
      description="Browsers you're signed in with. Sign out any that you don't use or recognize."
      onClose={onClose}
    >
      <DialogBody>
        {data ? (
          <ul aria-label="Sessions" className="flex flex-col">
            {data.items.map((session) => (
              <Row
                key={session.id}
                session={session}
                isPending={isPending}
                onEnd={() => one.start(session.id)}
              />
            ))}
          </ul>
        ) : error ? (
          <ProblemNotice error={error} onRetry={() => refetch()} />
        ) : (
          <PartSkeleton label="Loading your sessions" bars={["h-12 w-full", "h-12 w-full"]} />
        )}
        {failure && <ProblemNote error={failure} />}
      </DialogBody>
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
        <Button variant="danger" disabled={!data || isPending} onClick={() => all.start(undefined)}>
          {all.isPending ? "Signing out…" : "Sign out everywhere"}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

function Row({
  session,
  isPending,
  onEnd,
}: {
  session: Session;
  isPending: boolean;
  onEnd: () => void;
}) {
  const { current, user_agent, address, started_at, seen_at } = session;
  const name = browserName(user_agent);
  return (
    <li className="flex items-center gap-4 border-b border-line py-3 last:border-b-0">
      <div className="min-w-0 flex-1">
        <p className="truncate font-medium" title={user_agent ?? undefined}>
          {name}
        </p>
        <p className="text-sm text-muted">
          Last active <Time iso={seen_at} /> · signed in <Time iso={started_at} />
          {address && ` from ${address}`}
        </p>
      </div>
      {current ? (
        <Badge tone="good" icon={Monitor}>
          This browser
        </Badge>
      ) : (
        <Button size="sm" disabled={isPending} aria-label={`Sign out ${name}`} onClick={onEnd}>
          Sign out
        </Button>
      )}
    </li>
  );
}
