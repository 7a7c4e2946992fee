"use client";

import { useQueryClient } from "@tanstack/react-query";
import { Trash2 } from "lucide-react";
import { useState } from "react";
import { ApiProblem } from "#components/api-client.ts";
import { Button } from "#components/ui/button.tsx";
import { useUnsavedWarning } from "#components/ui/use-unsaved-warning.ts";
import type { StoredRecord } from "#lib/records/contract.ts";
import { applyPatch, mergePatch } from "./merge-patch.ts";
import type { Permissions } from "./permissions.ts";
import { recordByIdQuery } from "./queries.ts";
import { RecordFacts } from "./record-facts.tsx";
import { RecordForm } from "./record-form.tsx";
import { editable, surfaceOf } from "./surface.ts";
import { useDeleteRecord, useUpdateRecord } from "./use-records.ts";

type Stored = { data: StoredRecord; etag: string | null };

/** Changes a record in the state that was read. Where somebody was faster, the reader decides what becomes of both. */
export function RecordEdit({
  tenantId,
  path,
  stored,
  permissions,
  onClose,
}: {
  tenantId: string;
  path: string;
  stored: Stored;
  permissions: Permissions;
  onClose: () => void;
}) {
  const cache = useQueryClient();
  const { surface } = surfaceOf(path);
  const [base, setBase] = useState(stored);
  const [fields, setFields] = useState(() => editable(stored.data));
  const update = useUpdateRecord(tenantId, path, base.data.id);
  const remove = useDeleteRecord(tenantId, path, permissions.restore);
  const patch = mergePatch(editable(base.data), fields);
  const changed = Object.keys(patch).length > 0;
  useUnsavedWarning(changed && !remove.isPending);
  const overtaken = update.error instanceof ApiProblem && update.error.code === "precondition_failed";
  // The text areas hold their own text: they start anew where the fields come from elsewhere.
  const [edition, setEdition] = useState(0);

  function start(from: Stored, with_: Record<string, unknown>) {
    setBase(from);
    setFields(with_);
    setEdition(edition + 1);
    update.reset();
  }

  /** What was typed while `sent` was on its way stays a change. */
  function goOn(saved: Stored, sent: Record<string, unknown>) {
    setBase(saved);
    setFields((typed) => applyPatch(editable(saved.data), mergePatch(sent, typed)));
  }

  async function startFromNewest(mine: Record<string, unknown>) {
    const newest = await cache.fetchQuery({ ...recordByIdQuery(tenantId, path, base.data.id, false), staleTime: 0 });
    start(newest, applyPatch(editable(newest.data), mine));
  }

  return (
    <RecordForm
      key={edition}
      surface={surface}
      fields={fields}
      onChange={setFields}
      onSubmit={() => update.mutate({ patch, etag: base.etag }, { onSuccess: (saved) => goOn(saved, fields) })}
      submit="Save changes"
      unchanged={!changed}
      busy={update.isPending}
      error={update.error}
      notice={
        overtaken && (
          <div role="alert" className="flex flex-col gap-2 rounded-md bg-danger-soft px-3 py-2 text-sm text-danger-text">
            <p>Somebody else has changed this {surface.noun} since you opened it. Nothing of yours is saved or lost yet.</p>
            <span className="flex flex-wrap gap-2">
              <Button size="sm" onClick={() => startFromNewest(patch)}>
                Put my changes on top of theirs
              </Button>
              <Button size="sm" onClick={() => startFromNewest({})}>
                Take theirs
              </Button>
            </span>
          </div>
        )
      }
    >
      {changed && (
        <Button variant="ghost" onClick={() => start(base, editable(base.data))}>
          Discard
        </Button>
      )}
      <Button
        variant="ghost"
        className="ml-auto"
        disabled={remove.isPending}
        onClick={() => remove.mutate(base.data, { onSuccess: onClose })}
      >
        <Trash2 aria-hidden className="size-4" />
        Delete
      </Button>
      <RecordFacts record={base.data} />
    </RecordForm>
  );
}
