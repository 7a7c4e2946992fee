"use client";

import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Monitor } from "lucide-react";
import { callApi, newIdempotencyKey } from "#components/api-client.ts";
import { Badge } from "#components/ui/badge.tsx";
import { Button } from "#components/ui/button.tsx";
import { Dialog, DialogActions, DialogBody } from "#components/ui/dialog.tsx";
import { ProblemNotice } from "#components/ui/problem-notice.tsx";
import { SkeletonRows } from "#components/ui/skeleton.tsx";
import { Time } from "#components/ui/time.tsx";
import { endSessionsContract, listSessionsContract, type Session } from "#lib/sessions/contract.ts";
import { browserName } from "./browser-name.ts";
import { tellOtherTabs } from "./session-state.ts";

const MOST = 100;

function sessionsQuery(tenant: string) {
  return queryOptions({
    queryKey: ["sessions"],
    queryFn: ({ signal }) => callApi(listSessionsContract, { tenant, query: { limit: MOST }, signal }),
  });
}

/** The browsers that a person is signed in with, whichever tenant they are looking at. */
export function SessionsDialog({ tenantId, onClose }: { tenantId: string; onClose: () => void }) {
  const cache = useQueryClient();
  const query = sessionsQuery(tenantId);
  const { data, error, refetch } = useQuery(query);
  const end = useMutation({
    mutationFn: (ids: string[] | undefined) =>
      callApi(endSessionsContract, { tenant: tenantId, body: { ids }, idempotencyKey: newIdempotencyKey() }),
    onSuccess(_answer, ids) {
      if (ids) return cache.invalidateQueries(query);
      tellOtherTabs("signed-out");
      // A full load, so that nothing of the session stays in this page's memory.
      window.location.assign("/sign-in");
    },
  });

  return (
    <Dialog
      title="Your sessions"
      description="The browsers you are signed in with. Sign out those that you no longer use or don't know."
      onClose={onClose}
    >
      <DialogBody>
        {error && !data ? (
          <ProblemNotice error={error} onRetry={() => refetch()} />
        ) : data ? (
          <ul aria-label="Sessions" className="flex flex-col">
            {data.items.map((session) => (
              <Row key={session.id} session={session} isPending={end.isPending} onEnd={() => end.mutate([session.id])} />
            ))}
          </ul>
        ) : (
          <SkeletonRows count={3} row="h-16 gap-4" cells={["w-1/2", "ml-auto w-20"]} />
        )}
        <p role="alert" className="rounded-md bg-danger-soft px-3 py-2 text-sm text-danger-text empty:hidden">
          {end.error && `That did not work: ${end.error.message}`}
        </p>
      </DialogBody>
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
        <Button variant="danger" disabled={!data || end.isPending} onClick={() => end.mutate(undefined)}>
          {end.isPending && end.variables === undefined ? "Signing out…" : "Sign out everywhere"}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

function Row({ session, isPending, onEnd }: { session: Session; isPending: boolean; onEnd: () => void }) {
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
        <Button disabled={isPending} aria-label={`Sign out ${name}`} onClick={onEnd}>
          Sign out
        </Button>
      )}
    </li>
  );
}
