"use client";

import { Trash2 } from "lucide-react";
import { useState } from "react";
import { ApiProblem } from "#components/api-client.ts";
import { ConflictNote } from "#components/kit/conflict-note.tsx";
import { useIsAllowed } from "#components/kit/permissions.ts";
import type { Version } from "#components/kit/query.ts";
import { useForm } from "#components/kit/use-form.ts";
import { Button } from "#components/ui/button.tsx";
import type { StoredRecord } from "#lib/records/contract.ts";
import { applyPatch, mergePatch } from "./merge-patch.ts";
import { RecordFacts } from "./record-facts.tsx";
import { definedFields, type RecordFields, RecordForm } from "./record-form.tsx";
import { editable, nameOf, surfaceOf } from "./surface.ts";
import { useDeleteRecord, useUpdateRecord } from "./use-records.ts";

type Stored = Version<StoredRecord>;

/**
 * Edits the version of a record that was read. If someone else saved first, the reader decides
 * which changes stay.
 */
export function RecordEdit({
  path,
  stored,
  onClose,
}: {
  path: string;
  stored: Stored;
  onClose: () => void;
}) {
  const { surface, contracts } = surfaceOf(path);
  const [base, setBase] = useState(stored);
  const update = useUpdateRecord(path, base.data.id);
  const remove = useDeleteRecord(path, {
    mayRestore: useIsAllowed(contracts.restore.access),
    onDeleted: onClose,
  });
  const form = useForm({
    initial: () => editable(stored.data) as RecordFields,
    send: (fields) =>
      update.send(mergePatch(editable(base.data), definedFields(fields)), base.etag),
    onDone: (saved, sent) => {
      update.saved(saved);
      setBase(saved);
      // What was typed while saving stays an unsaved change.
      form.rebase((typed) =>
        applyPatch(editable(saved.data), mergePatch(definedFields(sent), definedFields(typed))),
      );
    },
  });
  const patch = mergePatch(editable(base.data), definedFields(form.draft));
  const changed = Object.keys(patch).length > 0;
  const overtaken =
    form.refused instanceof ApiProblem && form.refused.code === "precondition_failed";
  // Text areas hold their own text, so they are reset when the fields change from elsewhere.
  const [edition, setEdition] = useState(0);

  function start(from: Stored, mine: RecordFields) {
    setBase(from);
    form.restart(applyPatch(editable(from.data), mine));
    setEdition(edition + 1);
  }

  return (
    <RecordForm
      key={edition}
      form={form}
      surface={surface}
      title={nameOf(surface, base.data)}
      start="Save changes"
      unsaved={changed && !remove.isPending}
      unchanged={!changed}
      notice={
        overtaken && (
          <ConflictNote
            onOverwrite={() => update.newest().then((newest) => start(newest, patch))}
            onDiscard={() => update.newest().then((newest) => start(newest, {}))}
          >
            Someone else changed this {surface.noun} after you opened it. Your changes aren't saved
            yet.
          </ConflictNote>
        )
      }
      actions={
        <>
          {changed && (
            <Button variant="ghost" onClick={() => start(base, {})}>
              Discard
            </Button>
          )}
          <Button
            variant="ghost"
            className="ml-auto"
            disabled={remove.isPending}
            onClick={() => remove.start(base.data)}
          >
            <Trash2 aria-hidden className="size-4" />
            Delete
          </Button>
          <RecordFacts record={base.data} />
        </>
      }
    />
  );
}
