"use client";

import { useQuery } from "@tanstack/react-query";
import { BookmarkPlus } from "lucide-react";
import { useState } from "react";
import { useTenantId } from "#components/kit/member.tsx";
import { Button } from "#components/ui/button.tsx";
import type { BoardSearch } from "../search.ts";
import { filtersToSave, isShown } from "./filters-of-view.ts";
import { viewsQuery } from "./queries.ts";
import { SaveViewDialog } from "./save-view-dialog.tsx";

/** Saves the board's filters, where there are some that no view has. */
export function SaveView({ search }: { search: BoardSearch }) {
  const { data } = useQuery(viewsQuery(useTenantId()));
  const [saves, setSaves] = useState(false);
  const canBeSaved = search.state === "open" && Object.keys(filtersToSave(search)).length > 0;
  const isSaved = data?.items.some((view) => isShown(view, search));
  return (
    <>
      {canBeSaved && !isSaved && (
        <Button size="sm" variant="ghost" onClick={() => setSaves(true)}>
          <BookmarkPlus aria-hidden className="size-4" />
          Save view
        </Button>
      )}
      {saves && <SaveViewDialog search={search} onClose={() => setSaves(false)} />}
    </>
  );
}
