"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { callApi } from "#components/api-client.ts";
import { useMutate } from "#components/kit/use-mutate.ts";
import { createImportContract, type Import } from "#lib/imports/contract.ts";
import type { Mapping } from "#lib/imports/formats/mapping.ts";
import { type Source, updateSourceContract } from "#lib/sources/contract.ts";
import { sourcesKey } from "../queries.ts";
import { importById, importsKey } from "./queries.ts";
import { FILE_TYPE, fileName } from "./use-preview.ts";

export type Commit = {
  file: File;
  /** How a file of columns is read; null: not such a file. */
  mapping: Mapping | null;
  /** What the source keeps of it. */
  keep: Partial<Pick<Source, "mapping" | "sign">>;
};

/** Sends a whole file, and tells how much of it went. */
export function useUpload(tenant: string, sourceId: string, onQueued: (imported: Import) => void) {
  const cache = useQueryClient();
  const stopping = useRef<AbortController>(null);
  const [sent, setSent] = useState(0);

  const upload = useMutate({
    send: async ({ file, mapping, keep }: Commit & { size: number }, idempotencyKey) => {
      stopping.current = new AbortController();
      const { signal } = stopping.current;
      setSent(0);
      if (Object.keys(keep).length > 0)
        await callApi(updateSourceContract, {
          tenant,
          params: { id: sourceId },
          body: keep,
          signal,
        });
      return callApi(createImportContract, {
        tenant,
        params: { id: sourceId },
        query: { file_name: fileName(file), ...(mapping && { mapping: JSON.stringify(mapping) }) },
        upload: { type: FILE_TYPE, content: file },
        onSent: setSent,
        idempotencyKey,
        signal,
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
    sent,
    isPending: upload.isPending,
    error: upload.error,
    start: (commit: Commit) => upload.start({ ...commit, size: commit.file.size }),
    cancel(): void {
      stopping.current?.abort();
      upload.reset();
    },
    reset: upload.reset,
  };
}
