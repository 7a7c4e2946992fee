"use client";

import { useQuery } from "@tanstack/react-query";
import { Users } from "lucide-react";
import { useMember } from "#components/kit/member.tsx";
import { classes } from "#components/ui/classes.ts";
import type { BoardSearch } from "../board/search.ts";
import { searchOfView, showsView } from "./filters-of-view.ts";
import { viewsQuery } from "./queries.ts";
import { ViewMenu } from "./view-menu.tsx";

/** Larger numbers are not counted exactly. */
const COUNTED_MAX = 10_000;
const ALL = { filters: {}, sort_by: "due_at" } as const;

/** Saved views as tabs with counts, and a menu for the current one. */
export function ViewBar({
  search,
  onChange,
}: {
  search: BoardSearch;
  onChange: (change: Partial<BoardSearch>) => void;
}) {
  const { tenant } = useMember();
  const { data } = useQuery(viewsQuery(tenant.id));
  const views = data?.items ?? [];
  const current = views.find((view) => showsView(view, search));
  if (views.length === 0) return null;
  return (
    <div className="flex flex-wrap items-center gap-1 pt-4">
      <nav aria-label="Saved views" className="min-w-0">
        <ul className="flex flex-wrap items-center gap-1">
          <li>
            <Tab
              name="All"
              current={showsView(ALL, search)}
              onClick={() => onChange(searchOfView(ALL))}
            />
          </li>
          {views.map((view) => (
            <li key={view.id}>
              <Tab
                name={view.name}
                count={view.open_count}
                isShared={view.shared}
                current={view === current}
                onClick={() => onChange(searchOfView(view))}
              />
            </li>
          ))}
        </ul>
      </nav>
      {current && <ViewMenu key={current.id} view={current} />}
    </div>
  );
}

function Tab({
  name,
  count,
  isShared = false,
  current,
  onClick,
}: {
  name: string;
  count?: number | null;
  isShared?: boolean;
  current: boolean;
  onClick: () => void;
}) {
  return (
    <button
      type="button"
      aria-current={current ? "true" : undefined}
      onClick={onClick}
      className={classes(
        "flex h-8 max-w-64 items-center gap-1.5 rounded-md px-2.5 text-sm font-medium",
        current ? "bg-selected text-ink" : "text-muted hover:bg-hover hover:text-ink",
      )}
    >
      {isShared && <Users role="img" aria-label="Shared" className="size-3.5 shrink-0" />}
      <span className="truncate">{name}</span>
      {typeof count === "number" && (
        <span className="text-xs font-normal text-muted tabular-nums">
          {count.toLocaleString("en")}
          {count >= COUNTED_MAX && "+"}
        </span>
      )}
    </button>
  );
}
