"use client";

import { useSelectedLayoutSegments } from "next/navigation";
import { useState } from "react";
import { useMember } from "#components/kit/member.tsx";
import { usePreferences } from "#components/preferences/preferences-provider.tsx";
import { Finder } from "#components/ui/finder.tsx";
import { type SurfaceLink, sectionOf } from "../sections.ts";
import { byId } from "./by-id.ts";
import { actionEntries, filterEntries, pageEntries } from "./entries.ts";
import { usePaletteResults } from "./use-palette-results.ts";

/** The command palette: pages, actions and the tenant's data. */
export function Palette({
  surfaces,
  onClose,
}: {
  surfaces: readonly SurfaceLink[];
  onClose: () => void;
}) {
  const member = useMember();
  const preferences = usePreferences();
  const section = sectionOf(useSelectedLayoutSegments());
  const [text, setText] = useState("");
  const found = usePaletteResults(member, surfaces, text);
  const context = { member, surfaces, preferences, section };
  const groups = [
    { name: "Go to", entries: byId(member, text) },
    { name: "Pages", entries: filterEntries(pageEntries(context), text) },
    { name: "Actions", entries: filterEntries(actionEntries(context), text) },
    ...found.groups,
  ].filter(({ entries }) => entries.length > 0);
  const count = groups.reduce((sum, { entries }) => sum + entries.length, 0);
  const failed = found.failed.length > 0 ? ` ${found.failed.join(", ")} couldn't be searched.` : "";
  return (
    <Finder
      label="Search or jump to"
      placeholder="Search pages, actions, exceptions, lines, docs…"
      text={text}
      onText={setText}
      groups={groups}
      status={sayCount(text, count, found.searching) + failed}
      searching={found.searching}
      onClose={onClose}
    />
  );
}

function sayCount(text: string, count: number, searching: boolean): string {
  if (searching) return "Searching…";
  if (text.trim() === "")
    return "Type to also search exceptions, lines, reconciliations, keys, members, records and docs.";
  if (count === 0) return `No results for “${text.trim()}”.`;
  return count === 1 ? "1 result" : `${count} results`;
}
