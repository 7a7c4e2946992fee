"use client";

import { X } from "lucide-react";
import { FileCard } from "#components/kit/imports/file-card.tsx";
import { TransferBar } from "#components/kit/imports/transfer-bar.tsx";
import { Button } from "#components/ui/button.tsx";
import { toast } from "#components/ui/toast.ts";
import { useUnsavedWarning } from "#components/ui/use-unsaved-warning.ts";

/** Shown during the upload, because leaving the page would cancel it. */
export function UploadStep({
  file,
  sent,
  onCancel,
}: {
  file: File;
  sent: number;
  onCancel: () => void;
}) {
  useUnsavedWarning(true);
  return (
    <div className="flex max-w-3xl flex-col gap-4">
      <FileCard file={file} />
      <TransferBar
        status="Uploading"
        note="Keep this page open until the file is in."
        bytes={{ done: sent, all: file.size }}
      />
      <div>
        {/* The service has the whole file now, even if its response was lost, so the import can be
           cancelled next. */}
        <Button
          disabled={sent >= file.size}
          onClick={() => {
            onCancel();
            toast("Upload cancelled", { description: `No lines of ${file.name} were imported.` });
          }}
        >
          <X aria-hidden className="size-4 text-muted" />
          Cancel upload
        </Button>
      </div>
    </div>
  );
}
