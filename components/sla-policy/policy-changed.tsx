"use client";

import { useQueryClient } from "@tanstack/react-query";
import { Button } from "#components/ui/button.tsx";
import { Note } from "#components/ui/note.tsx";
import { Time } from "#components/ui/time.tsx";
import type { Version } from "./draft.ts";
import { slaPolicyQuery } from "./queries.ts";

/** Somebody else saved first: whose shall it be? */
export function PolicyChanged({
  tenantId,
  stored,
  onTakeTheirs,
  onKeepMine,
}: {
  tenantId: string;
  stored: Version;
  onTakeTheirs: (theirs: Version) => void;
  onKeepMine: (theirs: Version) => void;
}) {
  const cache = useQueryClient();
  const newest = () => cache.fetchQuery({ ...slaPolicyQuery(tenantId), staleTime: 0 });
  return (
    <Note tone="warning">
      <p>
        The policy was changed while you edited it, last by {stored.data.updated_by.replace(/^user:/, "")} (
        <Time iso={stored.data.updated_at} />
        ). Nothing of yours is lost or saved yet.
      </p>
      <div className="flex flex-wrap gap-2 pt-2">
        <Button size="sm" onClick={() => newest().then(onTakeTheirs)}>
          Show theirs
        </Button>
        <Button size="sm" onClick={() => newest().then(onKeepMine)}>
          Keep editing mine
        </Button>
      </div>
    </Note>
  );
}
