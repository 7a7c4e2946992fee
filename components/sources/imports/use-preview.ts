"use client";

import { useRef, useState } from "react";
import { previewFromApi } from "#components/api-client.ts";
import { useMutate } from "#components/kit/use-mutate.ts";
import {
  createImportContract,
  type ImportPreview,
  PREVIEW_MAX_BYTES,
} from "#lib/imports/contract.ts";
import { FORMAT_TRAITS, type Mapping } from "#lib/imports/formats/mapping.ts";

export const FILE_TYPE = "application/octet-stream";

/** A preview reads the first MiB. One more byte shows that the file continues. */
const SENT_MAX_BYTES = PREVIEW_MAX_BYTES + 1;
/** Workbooks, archives and tables called .xls are read as a whole. */
const READ_WHOLE = /\.(?:xlsx|xlsm|xls|zip)$/i;

function sentOf(file: File): Blob {
  return READ_WHOLE.test(file.name) ? file : file.slice(0, SENT_MAX_BYTES);
}

/** Previews the import of a file again after each change of the mapping. */
export function usePreview(tenant: string, sourceId: string) {
  const newest = useRef(0);
  const [file, setFile] = useState<File | null>(null);
  const [preview, setPreview] = useState<ImportPreview | null>(null);

  const requestPreview = useMutate({
    send: async ({ of, mapping }: { of: File; mapping: Mapping | null; turn: number }) =>
      previewFromApi<ImportPreview>(createImportContract, {
        tenant,
        params: { id: sourceId },
        query: {
          preview: "true",
          file_name: fileName(of),
          ...(mapping && { mapping: JSON.stringify(mapping) }),
        },
        upload: { type: FILE_TYPE, content: sentOf(of) },
      }),
    // An earlier question may be answered after a later one.
    onDone: (response, { turn }) => turn === newest.current && setPreview(response),
  });

  function start(of: File, mapping: Mapping | null): void {
    newest.current += 1;
    requestPreview.start({ of, mapping, turn: newest.current });
  }

  return {
    file,
    preview,
    isPending: requestPreview.isPending,
    error: requestPreview.error,
    choose(chosen: File | null): void {
      newest.current += 1;
      setFile(chosen);
      setPreview(null);
      requestPreview.reset();
      if (chosen) start(chosen, null);
    },
    /** Null: uses the source's mapping and what the file shows. */
    askWith: (mapping: Mapping | null) => file && start(file, mapping),
  };
}

export type PreviewState = ReturnType<typeof usePreview>;

/** The contract's limit for a name. The end is kept, because it says more than the middle. */
export function fileName({ name }: File): string {
  return name.length <= 255 ? name : `${name.slice(0, 200)}…${name.slice(-50)}`;
}

export function isColumns({ format }: Pick<ImportPreview, "format">): boolean {
  return FORMAT_TRAITS[format].fields === "columns";
}
