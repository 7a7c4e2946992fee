"use client";

import { useQuery } from "@tanstack/react-query";
import { useCallback, useEffect, useState } from "react";
import { serverNow } from "#components/ui/server-clock.ts";
import { exceptionsKey, facetsSince } from "../queries.ts";
import { changesSince, UNCHANGED } from "./use-board-poll.ts";

const MINUTE_MS = 60_000;
/** Shorter absences need no summary. */
const AWAY_MIN_MS = 10 * MINUTE_MS;
/** The changes of a day can be read; a minute is left for the call. */
const AWAY_MAX_MS = 24 * 60 * MINUTE_MS - MINUTE_MS;
const NOTHING: ReadonlySet<string> = new Set();

const keyOf = (tenant: string) => `tieout.board-seen.${tenant}`;

/**
 * The moment to sum up from, if the board was last seen long enough before `now`. `lastSeen` is the
 * stored moment.
 */
export function returnedSince(lastSeen: string | null, now: number): string | null {
  const at = lastSeen === null ? Number.NaN : Date.parse(lastSeen);
  if (Number.isNaN(at) || now - at < AWAY_MIN_MS) return null;
  return new Date(Math.max(at, now - AWAY_MAX_MS)).toISOString();
}

/**
 * What happened on the board since this browser last showed it: the exceptions that are new, and
 * how many breached. It stays, across reloads too, until it is dismissed.
 */
export function useReturn(tenant: string, asOf: string | null) {
  const [since, setSince] = useState<string | null>(null);
  const [opened, setOpened] = useState(NOTHING);

  useEffect(() => {
    const look = () => {
      if (document.visibilityState !== "visible") return;
      setSince((now) => now ?? returnedSince(localStorage.getItem(keyOf(tenant)), serverNow()));
    };
    look();
    document.addEventListener("visibilitychange", look);
    return () => document.removeEventListener("visibilitychange", look);
  }, [tenant]);

  useEffect(() => {
    if (asOf === null || document.visibilityState !== "visible") return;
    const stored = localStorage.getItem(keyOf(tenant));
    if (since === null && returnedSince(stored, serverNow()) === null)
      localStorage.setItem(keyOf(tenant), asOf);
  }, [asOf, since, tenant]);

  const { data: fresh } = useQuery({
    queryKey: [...exceptionsKey(tenant), "new since", since],
    queryFn: async ({ signal }) => {
      const read = await changesSince({ tenant, query: {}, since: since ?? "", signal });
      if (!read || read === UNCHANGED) return null;
      const items = [...read.changes.values()].filter((item) => item !== null);
      return items.filter(({ created_at }) => created_at > (since ?? "")).map(({ id }) => id);
    },
    enabled: since !== null,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const { data: facets } = useQuery({
    ...facetsSince(tenant, since ?? ""),
    enabled: since !== null,
  });

  const dismiss = useCallback(() => {
    localStorage.setItem(keyOf(tenant), new Date(serverNow()).toISOString());
    setSince(null);
    setOpened(NOTHING);
  }, [tenant]);

  const isRead = since !== null && fresh !== undefined && facets !== undefined;
  return {
    /** Null while there is nothing to say. */
    summary: isRead ? { since, fresh: fresh?.length ?? null, breached: facets.total } : null,
    /** The new exceptions that weren't opened yet. */
    unseen: since === null || !fresh ? NOTHING : new Set(fresh.filter((id) => !opened.has(id))),
    open: useCallback((id: string) => setOpened((ids) => new Set([...ids, id])), []),
    dismiss,
  };
}
