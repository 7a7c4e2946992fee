"use client";

import { focusManager, useQueryClient } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { useRouter } from "next/navigation";
import { useCallback, useEffect, useState } from "react";
import { onSessionEnd } from "#components/api-client.ts";
import { useMember } from "#components/kit/member.tsx";
import { watchPresence } from "#components/kit/user-presence.ts";
import { useStore } from "#components/ui/store.ts";
import { callAccount } from "./account-client.ts";
import { signedInTo } from "./auth-client.ts";
import {
  notifyOtherTabs,
  onSessionMessage,
  rejectUserCalls,
  resumeSession,
  sessionEnded,
  waitForSignIn,
} from "./session-state.ts";
import type { SignInProvider } from "./sign-in-form.tsx";

const MembershipEndedDialog = dynamic(
  () => import("./membership-ended-dialog.tsx").then((module) => module.MembershipEndedDialog),
  { ssr: false },
);
const SessionEndedDialog = dynamic(
  () => import("./session-ended-dialog.tsx").then((module) => module.SessionEndedDialog),
  {
    // Its boundary keeps the page visible while it loads.
    ssr: false,
  },
);

/**
 * Handles the end of the session: asks to sign in over the page, so that no input is lost, and
 * continues in every tab once one of them has signed in.
 */
export function SessionWatch({ providers }: { providers: readonly SignInProvider[] }) {
  const { tenant, name, roles } = useMember();
  const cache = useQueryClient();
  const router = useRouter();
  const ended = useStore(sessionEnded, false);
  const [isAside, setAside] = useState(false);
  /** Whether they are still a member; null until that is known. */
  const [isMember, setMember] = useState<boolean | null>(null);

  const resume = useCallback(async () => {
    const found = await signedInTo(tenant.id).catch(() => "nobody" as const);
    if (found === "nobody") return;
    // A different user must not continue on this user's page.
    if (found === "stranger" || found.name !== name) return window.location.reload();
    resumeSession();
    if (found.roles.join() !== roles.join()) router.refresh();
    cache.invalidateQueries();
  }, [cache, name, roles, router, tenant.id]);

  useEffect(() => onSessionEnd(waitForSignIn), []);

  useEffect(() => {
    const stop = onSessionMessage((message) => {
      if (message === "signed-out") sessionEnded.set(true);
      else if (sessionEnded.get()) resume();
    });
    const onVisible = () =>
      document.visibilityState === "visible" && sessionEnded.get() && resume();
    document.addEventListener("visibilitychange", onVisible);
    notifyOtherTabs("signed-in");
    return () => {
      stop();
      document.removeEventListener("visibilitychange", onVisible);
    };
  }, [resume]);

  useEffect(() => {
    if (!ended) return;
    // No polling on a page without a session.
    focusManager.setFocused(false);
    let isCurrent = true;
    callAccount("membership", { tenant_id: tenant.id })
      .then(({ is_member }) => is_member ?? true)
      // Without a response, signing in again is the only option.
      .catch(() => true)
      .then((found) => isCurrent && setMember(found));
    return () => {
      isCurrent = false;
      focusManager.setFocused(undefined);
      setAside(false);
      setMember(null);
    };
  }, [ended, tenant.id]);

  useEffect(watchPresence, []);

  // Dismissing only lasts until the next action.
  useEffect(() => sessionEnded.subscribe(() => setAside(false)), []);

  if (!ended || isAside || isMember === null) return null;
  const onClose = () => {
    setAside(true);
    rejectUserCalls();
  };
  if (!isMember) return <MembershipEndedDialog tenant={tenant.name} onClose={onClose} />;
  return (
    <SessionEndedDialog name={name} providers={providers} onClose={onClose} onSignedIn={resume} />
  );
}
