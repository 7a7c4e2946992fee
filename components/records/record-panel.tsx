"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ProblemNotice } from "#components/ui/problem-notice.tsx";
import { SidePanel } from "#components/ui/side-panel.tsx";
import { Skeleton } from "#components/ui/skeleton.tsx";
import { useVisit } from "#components/ui/use-visit.ts";
import type { Permissions } from "./permissions.ts";
import { recordByIdQuery } from "./queries.ts";
import { RecordCreate } from "./record-create.tsx";
import { RecordDetails } from "./record-details.tsx";
import { RecordEdit } from "./record-edit.tsx";
import { nameOf, surfaceOf } from "./surface.ts";

type Props = {
  tenantId: string;
  path: string;
  /** The record that the address names, "new" for one to be. */
  id: string | null;
  deleted: boolean;
  permissions: Permissions;
  onClose: () => void;
  onCreated: (id: string) => void;
};

/** A record beside the list: to read, to change, or to create. */
export function RecordPanel({ tenantId, path, id, deleted, permissions, onClose, onCreated }: Props) {
  const { surface } = surfaceOf(path);
  // It stays what it was while the panel slides away.
  const [last, setLast] = useState(id);
  if (id !== null && id !== last) setLast(id);
  const visit = useVisit(id !== null);
  const creates = last === "new";
  const { data, error, refetch } = useQuery({
    ...recordByIdQuery(tenantId, path, last ?? "", deleted),
    enabled: id !== null && !creates,
  });
  const name = creates ? `New ${surface.noun}` : data ? nameOf(surface, data.data) : surface.title;
  return (
    <SidePanel open={id !== null} onClose={onClose} side="right" label={name} asks={creates}>
      {last !== null && (
        <>
          <h2 className="px-6 pb-4 text-xl font-semibold tracking-tight wrap-break-word">{name}</h2>
          {creates ? (
            permissions.write && <RecordCreate key={visit} tenantId={tenantId} path={path} onCreated={onCreated} />
          ) : data ? (
            permissions.write && !deleted ? (
              <RecordEdit
                key={`${last} ${visit}`}
                tenantId={tenantId}
                path={path}
                stored={data}
                permissions={permissions}
                onClose={onClose}
              />
            ) : (
              <RecordDetails path={path} record={data.data} />
            )
          ) : error ? (
            <ProblemNotice error={error} onRetry={() => refetch()} />
          ) : (
            <Loading />
          )}
        </>
      )}
    </SidePanel>
  );
}

function Loading() {
  return (
    <div role="status" aria-label="Loading the record" className="flex flex-col gap-4 px-6">
      <Skeleton className="h-9 w-full" />
      <Skeleton className="h-9 w-full" />
      <Skeleton className="h-40 w-full" />
    </div>
  );
}
