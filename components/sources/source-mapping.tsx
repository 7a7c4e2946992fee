"use client";

import { useQueryClient } from "@tanstack/react-query";
import { callApi } from "#components/api-client.ts";
import { Fact, Facts } from "#components/kit/facts.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { useIsAllowed } from "#components/kit/permissions.ts";
import { useMutate } from "#components/kit/use-mutate.ts";
import { Button } from "#components/ui/button.tsx";
import { toast } from "#components/ui/toast.ts";
import { MAPPED_FIELDS, type Mapping } from "#lib/imports/formats/mapping.ts";
import { type Source, updateSourceContract } from "#lib/sources/contract.ts";
import { DELIMITER_LABELS, ENCODING_LABELS, FIELD_LABELS } from "./imports/labels.tsx";
import { sourceById, sourcesKey } from "./queries.ts";

/** How a source's files with columns are read. */
export function SourceMapping({ source: { id, name, mapping } }: { source: Source }) {
  const tenant = useTenantId();
  const cache = useQueryClient();
  const mayWrite = useIsAllowed(updateSourceContract.access);
  const save = useMutate({
    send: (next: Mapping | null) =>
      callApi(updateSourceContract, { tenant, params: { id }, body: { mapping: next } }),
    onDone: (saved) => {
      cache.setQueryData(sourceById(tenant, id).queryKey, saved);
      if (mapping && saved.mapping === null) {
        toast("Mapping removed", {
          description: name,
          action: { label: "Undo", run: () => save.start(mapping) },
        });
      }
    },
    failed: "Couldn't change the mapping",
    stale: sourcesKey(tenant),
  });
  if (!mapping) {
    return (
      <p className="text-sm text-pretty text-muted">
        No saved mapping. Columns are detected in each file; you can save your answers.
      </p>
    );
  }
  const fields = MAPPED_FIELDS.filter((field) => mapping.fields[field] !== undefined);
  return (
    <div className="flex flex-col items-start gap-3">
      <Facts>
        {fields.map((field) => (
          <Fact key={field} name={FIELD_LABELS[field]}>
            <code className="font-mono text-xs">{mapping.fields[field]}</code>
          </Fact>
        ))}
        {readBy(mapping).map(([name, value]) => (
          <Fact key={name} name={name}>
            {value}
          </Fact>
        ))}
      </Facts>
      {mayWrite && (
        <Button size="sm" disabled={save.isPending} onClick={() => save.start(null)}>
          Remove mapping
        </Button>
      )}
    </div>
  );
}

function readBy({
  lines_path,
  date_format,
  decimal_separator,
  delimiter,
  encoding,
  header_row,
  sign_values,
  fee_sign,
}: Mapping): [string, string][] {
  return [
    ...(lines_path ? [["Lines at", lines_path] as [string, string]] : []),
    ...(date_format ? [["Dates", date_format] as [string, string]] : []),
    ...(decimal_separator
      ? [["Decimals", decimal_separator === "," ? "Comma" : "Point"] as [string, string]]
      : []),
    ...(delimiter ? [["Separator", DELIMITER_LABELS[delimiter]] as [string, string]] : []),
    ...(encoding ? [["Encoding", ENCODING_LABELS[encoding]] as [string, string]] : []),
    ...(header_row === false ? [["Header row", "None"] as [string, string]] : []),
    ...(sign_values ? [["Money out is", sign_values.debit.join(", ")] as [string, string]] : []),
    ...(fee_sign === "minus" ? [["Fees", "Written with a minus"] as [string, string]] : []),
  ];
}
