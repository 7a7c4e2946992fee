"use client";

import { useQuery } from "@tanstack/react-query";
import { useDeferredValue, useMemo, useState } from "react";
import { useTenantId } from "#components/kit/member.tsx";
import { useList } from "#components/kit/use-list.ts";
import type { OpenLine } from "#lib/matching/workbench/contract.ts";
import { type Option, optionsOf } from "./options.ts";
import { nearLines, openLinePages, type Side, suggestedMatches } from "./queries.ts";
import type { WorkbenchSearch } from "./search.ts";

type Cursor = { side: Side; id: string | null; index: number };
const NONE: ReadonlyMap<string, OpenLine> = new Map();
const NO_OPTIONS: readonly Option[] = [];

/** Both lists, the current line, its suggestions, and the selected lines. */
export function useWorkbench(id: string, { line: first, ...filters }: WorkbenchSearch) {
  const tenant = useTenantId();
  const left = useList(openLinePages(tenant, id, "left", filters));
  const right = useList(openLinePages(tenant, id, "right", filters));
  const lists = { left, right };
  const [cursor, setCursor] = useState<Cursor>({ side: "left", id: first, index: 0 });
  const [picked, setPicked] = useState(NONE);
  const [choice, setChoice] = useState({ line: "", option: 0 });

  // If a side has no lines, the current line is on the other side.
  const elsewhere = cursor.side === "left" ? "right" : "left";
  const foundElsewhere =
    cursor.id !== null && lists[elsewhere].items.some((item) => item.id === cursor.id);
  const side: Side =
    foundElsewhere || (lists[cursor.side].items.length === 0 && lists[elsewhere].items.length > 0)
      ? elsewhere
      : cursor.side;
  const items: readonly OpenLine[] = lists[side].items;
  const known = items.findIndex((item) => item.id === cursor.id);
  // The next line takes the place of a line that was removed.
  const index = known >= 0 ? known : Math.max(0, Math.min(cursor.index, items.length - 1));
  const line = items[index] ?? null;

  // When the user moves quickly through the list, only the line where they stop is loaded.
  const deferredLine = useDeferredValue(line);
  const enabled = deferredLine !== null;
  const matches = useQuery({ ...suggestedMatches(tenant, id, deferredLine?.id ?? ""), enabled });
  const near = useQuery({
    ...nearLines(tenant, id, deferredLine?.id ?? ""),
    enabled: enabled && matches.data !== undefined,
  });
  const options = useMemo(
    () =>
      deferredLine && deferredLine.id === line?.id && matches.data
        ? optionsOf(deferredLine, matches.data.items, near.data?.items ?? [])
        : NO_OPTIONS,
    [deferredLine, line, matches.data, near.data],
  );
  const option =
    picked.size === 0 ? (options[choice.line === line?.id ? choice.option : 0] ?? null) : null;

  function moveTo(to: Side, place: number): void {
    const target = lists[to].items;
    const next = Math.max(0, Math.min(place, target.length - 1));
    setCursor({ side: to, id: target[next]?.id ?? null, index: next });
  }

  return {
    ...lists,
    line,
    side,
    index,
    options,
    option,
    choice: choice.line === line?.id ? choice.option : 0,
    isSearching: enabled && (matches.isPending || (near.isFetching && options.length === 0)),
    failure: matches.error ?? near.error,
    picked,
    go: moveTo,
    /** Moves to a line of either side, as soon as a list contains it. */
    goTo: (id: string) => setCursor((now) => ({ ...now, id })),
    move: (by: number) => moveTo(side, index + by),
    /** Moves to the other side, if its list has lines. */
    cross: (to: Side) => lists[to].items.length > 0 && to !== side && moveTo(to, 0),
    choose: (place: number) => line && setChoice({ line: line.id, option: place }),
    pick: (item: OpenLine) =>
      setPicked((now) => {
        const next = new Map(now);
        if (!next.delete(item.id)) next.set(item.id, item);
        return next;
      }),
    clear: () => setPicked(NONE),
    /** The selection of a failed decision is restored, unless the user has begun another. */
    restore: (lines: readonly OpenLine[]) =>
      setPicked((now) => (now.size === 0 ? new Map(lines.map((item) => [item.id, item])) : now)),
  };
}

export type Workbench = ReturnType<typeof useWorkbench>;
