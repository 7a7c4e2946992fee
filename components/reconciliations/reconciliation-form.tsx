"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { callApi } from "#components/api-client.ts";
import { useTenantId } from "#components/kit/member.tsx";
import { PanelForm } from "#components/kit/panel-form.tsx";
import { useForm } from "#components/kit/use-form.ts";
import { TextField } from "#components/ui/text-field.tsx";
import { toast } from "#components/ui/toast.ts";
import { createReconciliationContract, type Reconciliation, updateReconciliationContract } from "#lib/reconciliations/contract.ts";
import { RECONCILIATIONS } from "#lib/wire/facts.gen.ts";
import { draftOf, inputOf, missingIn, NEW_DRAFT } from "./draft.ts";
import { reconciliationById, reconciliationsKey } from "./queries.ts";

const DAYS = { type: "date", min: "1970-01-01", max: "2999-12-31" } as const;
const COUNT = { type: "number", min: 0, step: 1 } as const;

/** A reconciliation's form. `initial`: the one to edit; omitted to create one. */
export function ReconciliationForm({ initial, onDone }: { initial?: Reconciliation; onDone: () => void }) {
  const tenant = useTenantId();
  const cache = useQueryClient();
  const [before] = useState(initial ? draftOf(initial) : NEW_DRAFT);
  const counted = initial?.left_source_id != null;
  const form = useForm({
    initial: before,
    check: missingIn,
    send: (draft, idempotencyKey) =>
      initial
        ? callApi(updateReconciliationContract, { tenant, params: { id: initial.id }, body: inputOf(draft, counted) })
        : callApi(createReconciliationContract, { tenant, body: inputOf(draft, false), idempotencyKey }),
    onDone: (saved) => {
      cache.setQueryData(reconciliationById(tenant, saved.id).queryKey, saved);
      cache.invalidateQueries({ queryKey: reconciliationsKey(tenant) });
      toast(initial ? "Saved" : `Created ${saved.name}`);
      onDone();
    },
  });
  const { text } = form;
  return (
    <PanelForm
      form={form}
      title={initial?.name ?? "New reconciliation"}
      start={initial ? "Save changes" : "Create"}
      unsaved={JSON.stringify(form.draft) !== JSON.stringify(before)}
    >
      <TextField label="Name" maxLength={RECONCILIATIONS.name.most} {...text("name")} required />
      <div className="grid grid-cols-2 gap-3">
        <TextField label="First day" {...DAYS} {...text("period_start")} required />
        <TextField label="Last day" {...DAYS} {...text("period_end")} required />
      </div>
      <div className="grid grid-cols-2 gap-3">
        <TextField label="Left source" maxLength={RECONCILIATIONS.left_source.most} {...text("left_source")} required />
        <TextField label="Right source" maxLength={RECONCILIATIONS.right_source.most} {...text("right_source")} required />
      </div>
      {!counted && (
        <div className="grid grid-cols-2 gap-3">
          <TextField label="Matched" {...COUNT} {...text("matched_count")} required />
          <TextField label="Unmatched" {...COUNT} {...text("unmatched_count")} required />
        </div>
      )}
    </PanelForm>
  );
}
