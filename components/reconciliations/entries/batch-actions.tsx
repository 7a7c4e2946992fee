"use client";

import { useQueryClient } from "@tanstack/react-query";
import { Check, Upload } from "lucide-react";
import dynamic from "next/dynamic";
import { useState } from "react";
import { callApi } from "#components/api-client.ts";
import { useTenantId } from "#components/kit/member.tsx";
import { useIsAllowed } from "#components/kit/permissions.ts";
import { useMutate } from "#components/kit/use-mutate.ts";
import { Button } from "#components/ui/button.tsx";
import { toast } from "#components/ui/toast.ts";
import {
  type EntryBatch,
  markEntryBatchExportedContract,
  pushEntryBatchContract,
} from "#lib/entries/contract.ts";
import { reconciliationsKey } from "../queries.ts";
import { DownloadMenu } from "./download-menu.tsx";
import { batchById } from "./queries.ts";

const ExportedDialog = dynamic(
  () => import("./exported-dialog.tsx").then((part) => part.ExportedDialog),
  { ssr: false },
);

export function BatchActions({ batch }: { batch: EntryBatch }) {
  const mayMark = useIsAllowed(markEntryBatchExportedContract.access);
  const [isConfirming, setConfirming] = useState(false);
  return (
    <div className="flex flex-wrap gap-2">
      <DownloadMenu batch={batch} />
      {mayMark && batch.state === "ready" && (
        <Button size="sm" onClick={() => setConfirming(true)}>
          <Check aria-hidden className="size-4 text-muted" />
          Mark as exported
        </Button>
      )}
      {mayMark && batch.state === "ready" && batch.push && <PushButton batch={batch} />}
      {isConfirming && <ExportedDialog batch={batch} onClose={() => setConfirming(false)} />}
    </div>
  );
}

function PushButton({ batch: { id, number } }: { batch: EntryBatch }) {
  const tenant = useTenantId();
  const cache = useQueryClient();
  const push = useMutate({
    send: (_: undefined, idempotencyKey) =>
      callApi(pushEntryBatchContract, { tenant, params: { id }, idempotencyKey }),
    onDone: (queued) => {
      cache.setQueryData(batchById(tenant, id).queryKey, queued);
      toast(`Pushing batch ${number}`);
    },
    failed: `Couldn't push batch ${number}`,
    stale: reconciliationsKey(tenant),
  });
  return (
    <Button size="sm" disabled={push.isPending} onClick={() => push.start(undefined)}>
      <Upload aria-hidden className="size-4 text-muted" />
      Push now
    </Button>
  );
}
