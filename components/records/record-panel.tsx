"use client";

import { useTenantId } from "#components/kit/member.tsx";
import { useIsAllowed } from "#components/kit/permissions.ts";
import { ResourcePanel } from "#components/kit/resource-panel.tsx";
import { recordById } from "./queries.ts";
import { RecordCreate } from "./record-create.tsx";
import { RecordDetails } from "./record-details.tsx";
import { RecordEdit } from "./record-edit.tsx";
import { nameOf, surfaceOf } from "./surface.ts";

type Props = {
  path: string;
  id: string | null;
  /** Whether the bin is shown. */
  deleted: boolean;
  onClose: () => void;
  onCreated: (id: string) => void;
};

/** The record panel: read, edit or create. */
export function RecordPanel({ path, id, deleted, onClose, onCreated }: Props) {
  const tenantId = useTenantId();
  const { surface, contracts } = surfaceOf(path);
  const mayWrite = useIsAllowed(contracts.update.access);
  return (
    <ResourcePanel
      id={id}
      query={(recordId) => recordById(tenantId, path, recordId, deleted)}
      noun="record"
      title={({ data }) => nameOf(surface, data)}
      create={{
        title: `New ${surface.noun}`,
        form: mayWrite && <RecordCreate path={path} onCreated={onCreated} />,
      }}
      onClose={onClose}
    >
      {(stored) =>
        mayWrite && !deleted ? (
          <RecordEdit path={path} stored={stored} onClose={onClose} />
        ) : (
          <RecordDetails path={path} record={stored.data} />
        )
      }
    </ResourcePanel>
  );
}
