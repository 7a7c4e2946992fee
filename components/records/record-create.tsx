"use client";

import { useForm } from "#components/kit/use-form.ts";
import { definedFields, type RecordFields, RecordForm } from "./record-form.tsx";
import { surfaceOf } from "./surface.ts";
import { useCreateRecord } from "./use-records.ts";

export function RecordCreate({
  path,
  onCreated,
}: {
  path: string;
  onCreated: (id: string) => void;
}) {
  const { surface } = surfaceOf(path);
  const form = useForm({ initial: {} as RecordFields, ...useCreateRecord(path, onCreated) });
  const unsaved = Object.keys(definedFields(form.draft)).length > 0;
  return (
    <RecordForm
      form={form}
      surface={surface}
      title={`New ${surface.noun}`}
      start="Create"
      unsaved={unsaved}
    />
  );
}
