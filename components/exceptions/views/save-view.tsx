"use client";

import { useQuery } from "@tanstack/react-query";
import { BookmarkCheck, BookmarkPlus } from "lucide-react";
import { useState } from "react";
import { callApi } from "#components/api-client.ts";
import { useTenantId } from "#components/kit/member.tsx";
import { useMutate } from "#components/kit/use-mutate.ts";
import { Button } from "#components/ui/button.tsx";
import { toast } from "#components/ui/toast.ts";
import { updateViewContract, type View } from "#lib/views/contract.ts";
import type { BoardSearch } from "../board/search.ts";
import { canBeSaved, differsFromView, filtersToSave, showsView } from "./filters-of-view.ts";
import { useMayChangeView } from "./may-change.ts";
import { viewsKey, viewsQuery } from "./queries.ts";
import { SaveViewDialog } from "./save-view-dialog.tsx";

/**
 * Saves the board's filters if no view has them: as a new view, or in the view they started from.
 */
export function SaveView({ search }: { search: BoardSearch }) {
  const tenant = useTenantId();
  const { data } = useQuery(viewsQuery(tenant));
  const mayChange = useMayChangeView();
  const [saves, setSaves] = useState(false);
  const [openedId, setOpenedId] = useState<string | null>(null);
  const views = data?.items ?? [];
  const current = views.find((view) => showsView(view, search));
  if (current && current.id !== openedId) setOpenedId(current.id);
  const opened = views.find(({ id }) => id === openedId);
  const updating = useMutate({
    send: ({ id }: View) =>
      callApi(updateViewContract, {
        tenant,
        params: { id },
        body: { filters: filtersToSave(search), sort_by: search.sortBy },
      }),
    onDone: ({ name }) => toast(`Updated ${name}`),
    failed: "Couldn't update the view",
    stale: viewsKey(tenant),
  });
  return (
    <>
      {opened && mayChange(opened) && differsFromView(opened, search) && (
        <Button
          size="sm"
          variant="ghost"
          disabled={updating.isPending}
          onClick={() => updating.start(opened)}
        >
          <BookmarkCheck aria-hidden className="size-4" />
          <span className="max-w-48 truncate">Update {opened.name}</span>
        </Button>
      )}
      {canBeSaved(search) && !current && (
        <Button size="sm" variant="ghost" onClick={() => setSaves(true)}>
          <BookmarkPlus aria-hidden className="size-4" />
          {opened ? "Save as new view" : "Save view"}
        </Button>
      )}
      {saves && <SaveViewDialog search={search} onClose={() => setSaves(false)} />}
    </>
  );
}
