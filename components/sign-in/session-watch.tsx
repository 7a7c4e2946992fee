"use client";

import { focusManager, useQueryClient } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { useRouter } from "next/navigation";
import { useCallback, useEffect, useState, useSyncExternalStore } from "react";
import type { Member } from "#components/shell/member.ts";
import { watchAttendance } from "./attendance.ts";
import { signedInTo } from "./auth-client.ts";
import {
  endSession,
  hasSessionEnded,
  onToldByOtherTabs,
  putAside,
  resumeSession,
  subscribeSession,
  tellOtherTabs,
} from "./session-state.ts";
import type { SignInProvider } from "./sign-in-form.tsx";

const SessionEndedDialog = dynamic(() => import("./session-ended-dialog.tsx").then((module) => module.SessionEndedDialog), {
  // The boundary that this brings keeps the page in sight while it is fetched.
  ssr: false,
});

type Props = { tenantId: string; member: Member; providers: readonly SignInProvider[] };

/**
 * Stands by for the end of the session: asks to sign in where one is, so that nothing typed is lost, and goes on in every
 * tab once one of them has signed in.
 */
export function SessionWatch({ tenantId, member, providers }: Props) {
  const cache = useQueryClient();
  const router = useRouter();
  const ended = useSyncExternalStore(subscribeSession, hasSessionEnded, () => false);
  const [isAside, setAside] = useState(false);

  const resume = useCallback(async () => {
    const found = await signedInTo(tenantId).catch(() => "nobody" as const);
    if (found === "nobody") return;
    // Somebody else's page is not theirs to go on with.
    if (found === "stranger" || found.name !== member.name) return window.location.reload();
    resumeSession();
    if (found.roles.join() !== member.roles.join()) router.refresh();
    cache.invalidateQueries();
  }, [cache, member, router, tenantId]);

  useEffect(() => {
    const stop = onToldByOtherTabs((told) => {
      if (told === "signed-out") endSession();
      else if (hasSessionEnded()) resume();
    });
    const onVisible = () => document.visibilityState === "visible" && hasSessionEnded() && resume();
    document.addEventListener("visibilitychange", onVisible);
    tellOtherTabs("signed-in");
    return () => {
      stop();
      document.removeEventListener("visibilitychange", onVisible);
    };
  }, [resume]);

  useEffect(() => {
    if (!ended) return;
    // Nothing is asked again and again by a page that nobody is signed in to.
    focusManager.setFocused(false);
    return () => {
      focusManager.setFocused(undefined);
      setAside(false);
    };
  }, [ended]);

  useEffect(watchAttendance, []);

  // Who put it aside and tries something else is asked again.
  useEffect(() => subscribeSession(() => setAside(false)), []);

  if (!ended || isAside) return null;
  const onClose = () => {
    setAside(true);
    putAside();
  };
  return <SessionEndedDialog name={member.name} providers={providers} onClose={onClose} onSignedIn={resume} />;
}
