"use client";

import { useQuery } from "@tanstack/react-query";
import { Ellipsis, Link2, Trash2, Users } from "lucide-react";
import { callApi } from "#components/api-client.ts";
import { useMember } from "#components/kit/member.tsx";
import { useAttempt } from "#components/kit/use-attempt.ts";
import { buttonClass } from "#components/ui/button.tsx";
import { classes } from "#components/ui/classes.ts";
import { Menu, MenuItem } from "#components/ui/menu.tsx";
import { toast } from "#components/ui/toast.ts";
import { deleteViewContract, updateViewContract, type View } from "#lib/views/contract.ts";
import type { BoardSearch } from "../search.ts";
import { isShown, searchOfView } from "./filters-of-view.ts";
import { viewsKey, viewsQuery } from "./queries.ts";

/** More than that are counted no further. */
const COUNTED_MOST = 10_000;
const ALL = { filters: {}, sort_by: "due_at" } as const;

/** Saved views as tabs, each with its count, and what can be done with the one that is shown. */
export function ViewBar({ search, onChange }: { search: BoardSearch; onChange: (change: Partial<BoardSearch>) => void }) {
  const { tenant } = useMember();
  const { data } = useQuery(viewsQuery(tenant.id));
  const views = data?.items ?? [];
  const shown = views.find((view) => isShown(view, search));
  if (views.length === 0) return null;
  return (
    <div className="flex flex-wrap items-center gap-1 pt-4">
      <nav aria-label="Saved views" className="min-w-0">
        <ul className="flex flex-wrap items-center gap-1">
          <li>
            <Tab name="All" current={isShown(ALL, search)} onClick={() => onChange(searchOfView(ALL))} />
          </li>
          {views.map((view) => (
            <li key={view.id}>
              <Tab
                name={view.name}
                count={view.open_count}
                isShared={view.shared}
                current={view === shown}
                onClick={() => onChange(searchOfView(view))}
              />
            </li>
          ))}
        </ul>
      </nav>
      {shown && <ViewMenu key={shown.id} view={shown} />}
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
          {count >= COUNTED_MOST && "+"}
        </span>
      )}
    </button>
  );
}

function ViewMenu({ view }: { view: View }) {
  const { tenant } = useMember();
  const params = { id: view.id };
  const sharing = useAttempt({
    send: (shared: boolean) => callApi(updateViewContract, { tenant: tenant.id, params, body: { shared } }),
    onDone: ({ shared }) => toast(shared ? "Shared with everyone in this tenant" : "Only you can see it now"),
    failed: "Couldn't change the view",
    stale: viewsKey(tenant.id),
  });
  const deleting = useAttempt({
    send: (_: null) => callApi(deleteViewContract, { tenant: tenant.id, params }),
    onDone: () => toast(`Deleted ${view.name}`),
    failed: "Couldn't delete the view",
    stale: viewsKey(tenant.id),
  });
  return (
    <Menu
      label={`View ${view.name}`}
      triggerClass={buttonClass({ size: "icon", variant: "ghost" })}
      trigger={
        <>
          <Ellipsis aria-hidden className="size-4" />
          <span className="sr-only">View {view.name}</span>
        </>
      }
    >
      <MenuItem
        onClick={async () => {
          await navigator.clipboard.writeText(location.href);
          toast("Link copied");
        }}
      >
        <Link2 aria-hidden className="size-4 text-muted" />
        Copy link
      </MenuItem>
      <MenuItem onClick={() => sharing.start(!view.shared)}>
        <Users aria-hidden className="size-4 text-muted" />
        {view.shared ? "Stop sharing" : "Share with everyone"}
      </MenuItem>
      <MenuItem onClick={() => deleting.start(null)}>
        <Trash2 aria-hidden className="size-4 text-muted" />
        Delete view
      </MenuItem>
    </Menu>
  );
}
