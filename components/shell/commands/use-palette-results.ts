"use client";

import { keepPreviousData, useQueries } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { withoutSecret } from "#components/api-keys/search.ts";
import type { Member } from "#components/kit/member.tsx";
import type { SurfaceLink } from "../sections.ts";
import { docsSource, matches, ownSources, RESULTS_MAX, recordSource } from "./palette-sources.ts";

const TYPING_MS = 150;
const MIN_LENGTH = 2;
const FRESH_MS = 30_000;

/** The tenant's data that matches the text, as far as the reader may see it. */
export function usePaletteResults(
  { tenant, roles }: Member,
  surfaces: readonly SurfaceLink[],
  typed: string,
) {
  const text = useSettled(withoutSecret(typed).trim());
  const enabled = text.length >= MIN_LENGTH;
  const sources = [
    ...ownSources(tenant.id, roles, text),
    ...surfaces.map((surface) => recordSource(tenant.id, surface, text)),
    docsSource(text),
  ];
  const results = useQueries({
    queries: sources.map(({ key, find }) => ({
      queryKey: ["tenants", tenant.id, "palette", ...key],
      queryFn: ({ signal }: { signal: AbortSignal }) => find(signal),
      enabled,
      staleTime: FRESH_MS,
      retry: false,
      placeholderData: keepPreviousData,
    })),
  });
  const typedQuery = withoutSecret(typed).trim();
  const behind = typedQuery !== text && typedQuery.length >= MIN_LENGTH;
  const groups = sources.map(({ name, icon }, at) => {
    const found = (enabled && results[at]?.data) || [];
    const visible = found.filter(matches(text, name)).slice(0, RESULTS_MAX);
    return {
      name,
      entries: visible.map((item) => ({ icon, ...item })),
      settling: behind || results[at]?.isPlaceholderData === true,
    };
  });
  return {
    groups: groups.filter(({ entries }) => entries.length > 0),
    searching: behind || (enabled && results.some(({ isFetching }) => isFetching)),
    failed: enabled ? sources.filter((_, at) => results[at]?.isError).map(({ name }) => name) : [],
  };
}

/** The text, debounced. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
