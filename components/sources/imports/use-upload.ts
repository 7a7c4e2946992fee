"use client";

import { useQueryClient } from "@tanstack/react-query";
import { callApi } from "#components/api-client.ts";
import { useTransfer } from "#components/kit/imports/use-transfer.ts";
import { createImportContract, type Import } from "#lib/imports/contract.ts";
import type { Mapping } from "#lib/imports/formats/mapping.ts";
import { type Source, updateSourceContract } from "#lib/sources/contract.ts";
import { sourcesKey } from "../queries.ts";
import { importById, importsKey } from "./queries.ts";
import { FILE_TYPE, fileName } from "./use-preview.ts";

export type Commit = {
  file: File;
  /** How a file with columns is read; null for other files. */
  mapping: Mapping | null;
  /** The mapping that the source keeps. */
  sourceChanges: Partial<Pick<Source, "mapping" | "sign">>;
};

/** Sends a whole file. The progress is its bytes. */
export function useUpload(tenant: string, sourceId: string, onQueued: (imported: Import) => void) {
  const cache = useQueryClient();
  const upload = useTransfer<Commit & { size: number }, number, Import>({
    none: 0,
    send: async ({ file, mapping, sourceChanges }, { idempotencyKey, signal, onProgress }) => {
      onProgress(0);
      const call = { tenant, params: { id: sourceId }, signal };
      if (Object.keys(sourceChanges).length > 0)
        await callApi(updateSourceContract, { ...call, body: sourceChanges });
      return callApi(createImportContract, {
        ...call,
        query: { file_name: fileName(file), ...(mapping && { mapping: JSON.stringify(mapping) }) },
        upload: { type: FILE_TYPE, content: file },
        onSent: onProgress,
        idempotencyKey,
      });
    },
    onDone: (queued) => {
      cache.setQueryData(importById(tenant, queued.id).queryKey, queued);
      for (const key of [importsKey(tenant), sourcesKey(tenant)])
        cache.invalidateQueries({ queryKey: key });
      onQueued(queued);
    },
  });
  return {
    ...upload,
    // The size distinguishes files: a File becomes {} in JSON.
    start: (commit: Commit) => upload.start({ ...commit, size: commit.file.size }),
  };
}
