"use client";

import { DataFields, DataValue } from "#components/kit/data-fields.tsx";
import { PanelBody, PanelTitle } from "#components/kit/panel-parts.tsx";
import { Time } from "#components/ui/time.tsx";
import type { StoredRecord } from "#lib/records/contract.ts";
import type { Field } from "#lib/records/surfaces/surface.ts";
import { RecordFacts } from "./record-facts.tsx";
import { editable, nameOf, surfaceOf } from "./surface.ts";

/** A record, read-only. */
export function RecordDetails({ path, record }: { path: string; record: StoredRecord }) {
  const { surface } = surfaceOf(path);
  const known = Object.entries(surface.fields).filter(
    ([name]) => record[name] !== undefined && record[name] !== null,
  );
  const others = Object.fromEntries(
    Object.entries(editable(record)).filter(([name]) => !(name in surface.fields)),
  );
  return (
    <PanelBody>
      <PanelTitle>{nameOf(surface, record)}</PanelTitle>
      <dl className="flex flex-col gap-4">
        {known.map(([name, field]) => (
          <div key={name} className="flex flex-col gap-0.5">
            <dt className="text-sm text-muted">{field.label}</dt>
            <dd className="min-w-0 wrap-break-word whitespace-pre-wrap">
              <FieldRow field={field} value={record[name]} />
            </dd>
          </div>
        ))}
      </dl>
      {Object.keys(others).length > 0 && (
        <div className="flex flex-col gap-0.5">
          <p className="text-sm text-muted">Other fields</p>
          <DataFields label="Other fields" value={others} />
        </div>
      )}
      <div className="border-t border-line pt-3">
        <RecordFacts record={record} />
      </div>
    </PanelBody>
  );
}

function FieldRow({ field, value }: { field: Field; value: unknown }) {
  if (field.input === "switch") return value === true ? "Yes" : "No";
  if (field.input === "time" && typeof value === "string") return <Time iso={value} />;
  if (typeof value === "string") return value;
  return typeof value === "object" && value !== null ? (
    <DataFields label={field.label} value={value} />
  ) : (
    <DataValue value={value} />
  );
}
