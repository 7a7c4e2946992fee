"use client";

import { useState } from "react";
import { useUnsavedWarning } from "#components/ui/use-unsaved-warning.ts";
import { RecordForm } from "./record-form.tsx";
import { surfaceOf } from "./surface.ts";
import { useCreateRecord } from "./use-records.ts";

export function RecordCreate({ tenantId, path, onCreated }: { tenantId: string; path: string; onCreated: (id: string) => void }) {
  const [fields, setFields] = useState<Record<string, unknown>>({});
  const { mutate, isPending, error } = useCreateRecord(tenantId, path);
  useUnsavedWarning(Object.keys(fields).length > 0);
  return (
    <RecordForm
      surface={surfaceOf(path).surface}
      fields={fields}
      onChange={setFields}
      onSubmit={() => mutate(fields, { onSuccess: ({ id }) => onCreated(id) })}
      submit="Create"
      busy={isPending}
      error={error}
    />
  );
}
