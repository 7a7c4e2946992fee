import { ActorName } from "#components/people/actor-name.tsx";
import { CopyButton } from "#components/ui/copy-button.tsx";
import { Time } from "#components/ui/time.tsx";
import type { StoredRecord } from "#lib/records/contract.ts";

/** The fields the server sets on a record. */
export function RecordFacts({ record }: { record: StoredRecord }) {
  return (
    <dl className="grid w-full grid-cols-[5.5rem_minmax(0,1fr)] gap-x-2 gap-y-0.5 pt-1 text-xs text-muted">
      <dt>Created</dt>
      <dd>
        <ActorName iso={record.created_at} actor={record.created_by} />
      </dd>
      <dt>{record.deleted_at ? "Deleted" : "Updated"}</dt>
      <dd>
        <Time iso={record.deleted_at ?? record.updated_at} />
      </dd>
      <dt className="self-center">Identifier</dt>
      <dd className="flex min-w-0 items-center">
        <code className="truncate font-mono">{record.id}</code>
        <CopyButton text={record.id} label="Copy the identifier" />
      </dd>
    </dl>
  );
}
