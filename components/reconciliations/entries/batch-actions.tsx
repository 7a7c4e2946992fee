"use client";

import { Check } from "lucide-react";
import dynamic from "next/dynamic";
import { useState } from "react";
import { useIsAllowed } from "#components/kit/permissions.ts";
import { Button } from "#components/ui/button.tsx";
import { type EntryBatch, markEntryBatchExportedContract } from "#lib/entries/contract.ts";
import { DownloadMenu } from "./download-menu.tsx";

const ExportedDialog = dynamic(
  () => import("./exported-dialog.tsx").then((part) => part.ExportedDialog),
  { ssr: false },
);

export function BatchActions({ batch }: { batch: EntryBatch }) {
  const mayMark = useIsAllowed(markEntryBatchExportedContract.access);
  const [asking, setAsking] = useState(false);
  return (
    <div className="flex flex-wrap gap-2">
      <DownloadMenu batch={batch} />
      {mayMark && batch.state === "ready" && (
        <Button size="sm" onClick={() => setAsking(true)}>
          <Check aria-hidden className="size-4 text-muted" />
          Mark as exported
        </Button>
      )}
      {asking && <ExportedDialog batch={batch} onClose={() => setAsking(false)} />}
    </div>
  );
}
