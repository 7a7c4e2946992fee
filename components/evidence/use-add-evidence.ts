"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { callApi } from "#components/api-client.ts";
import { useTenantId } from "#components/kit/member.tsx";
import { useMutate } from "#components/kit/use-mutate.ts";
import { formatBytes } from "#components/ui/format-bytes.ts";
import { toast, toastFailure } from "#components/ui/toast.ts";
import { addEvidenceContract, EVIDENCE_MAX_BYTES } from "#lib/evidence/contract.ts";
import { evidenceKey } from "./queries.ts";

type Added = {
  files: readonly File[];
  /** Identifies these files: a File becomes {} in JSON. */
  identity: string;
  supersedes?: string;
};

/** Adds files to a subject, one after another. */
export function useAddEvidence(subjectId: string) {
  const tenant = useTenantId();
  const cache = useQueryClient();
  const [place, setPlace] = useState(0);
  const adding = useMutate({
    send: async ({ files, supersedes }: Added, idempotencyKey) => {
      for (const [index, file] of files.entries()) {
        setPlace(index + 1);
        await callApi(addEvidenceContract, {
          tenant,
          query: {
            subject_id: subjectId,
            file_name: file.name,
            ...(supersedes && { supersedes }),
          },
          upload: { type: "application/octet-stream", content: file },
          idempotencyKey: `${idempotencyKey}-${index}`,
        });
      }
    },
    onDone: (_, { files }) => {
      cache.invalidateQueries({ queryKey: evidenceKey(tenant) });
      toast(files.length === 1 ? `Added ${files[0]?.name}` : `Added ${files.length} files`);
    },
    stale: evidenceKey(tenant),
  });
  return {
    place,
    isPending: adding.isPending,
    error: adding.error,
    start(files: readonly File[], supersedes?: string): void {
      const large = files.find(({ size }) => size > EVIDENCE_MAX_BYTES);
      if (large) {
        const { name, size } = large;
        toastFailure("File too large", `${name} has ${formatBytes(size)}; at most 10 MB fit.`);
        return;
      }
      const identity = files
        .map(({ name, size, lastModified }) => `${name} ${size} ${lastModified}`)
        .join("\n");
      if (files.length > 0) adding.start({ files, identity, ...(supersedes && { supersedes }) });
    },
  };
}
