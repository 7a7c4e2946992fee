"use client";

import { type ReactNode, useState, useSyncExternalStore } from "react";
import { Card } from "#components/kit/card.tsx";
import { Fact, Facts } from "#components/kit/facts.tsx";
import { useMember } from "#components/kit/member.tsx";
import { Page } from "#components/kit/page.tsx";
import { roleNames } from "#components/kit/role-names.ts";
import { usePreferences } from "#components/preferences/preferences-provider.tsx";
import { localTimeZone, zoneName } from "#components/preferences/time-zone.ts";
import { Button } from "#components/ui/button.tsx";
import { PasswordCard } from "./password-card.tsx";
import { SessionsDialog } from "./sessions-dialog.tsx";

/**
 * `email`: null if another identity provider signs the user in. `children`: what other domains show
 * about the user.
 */
export function ProfilePage({
  email,
  passwordMin,
  children,
}: {
  email: string | null;
  passwordMin: number;
  children: ReactNode;
}) {
  const { name, roles, tenant } = useMember();
  const [areSessionsShown, setSessionsShown] = useState(false);
  return (
    <Page title="Profile">
      <div className="flex max-w-3xl flex-col gap-4">
        <Card title="You">
          <Facts>
            <Fact name="Name">{name}</Fact>
            <Fact name="Email">
              <span className="wrap-anywhere">{email ?? "Managed by your identity provider"}</span>
            </Fact>
            <Fact name="Role">
              {roleNames(roles)} of {tenant.name}
            </Fact>
            <Fact name="Times">
              <TimeZone />
            </Fact>
          </Facts>
        </Card>
        {children}
        <PasswordCard email={email} min={passwordMin} />
        <Card
          title="Sessions"
          hint="The browsers you're signed in with."
          aside={
            <Button size="sm" onClick={() => setSessionsShown(true)}>
              Show sessions
            </Button>
          }
        >
          <p className="text-sm text-muted">Sign out any that you don't use or recognize.</p>
        </Card>
      </div>
      {areSessionsShown && <SessionsDialog onClose={() => setSessionsShown(false)} />}
    </Page>
  );
}

/** The time zone in which times are shown, with a switch to the other one. */
function TimeZone() {
  const { timeZone, setTimeZone } = usePreferences();
  // The server doesn't know the browser's zone.
  const local = useSyncExternalStore(
    () => () => {},
    localTimeZone,
    () => "UTC",
  );
  const other = timeZone === "UTC" ? local : "UTC";
  return (
    <span className="-my-1.5 flex flex-wrap items-center gap-x-3 gap-y-1">
      <span>{zoneName(timeZone)} (this browser)</span>
      {other !== timeZone && (
        <Button size="sm" onClick={() => setTimeZone(other)}>
          Show in {zoneName(other)}
        </Button>
      )}
    </span>
  );
}
