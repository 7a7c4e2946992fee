"use client";

import { X } from "lucide-react";
import { Button } from "#components/ui/button.tsx";
import { inSize } from "#components/ui/size.ts";
import { toast } from "#components/ui/toast.ts";
import { useUnsavedWarning } from "#components/ui/use-unsaved-warning.ts";
import { FileCard } from "./file-card.tsx";
import { Bar } from "./import-state.tsx";

/** While the file goes over: leaving the page would break it off. */
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
      <Bar
        label="Uploading"
        note="Keep this page open until the file is in."
        aside={`${inSize(Math.min(sent, file.size))} of ${inSize(file.size)}`}
        done={{ value: sent, max: Math.max(1, file.size) }}
      />
      <div>
        {/* Once all of it has gone, the service has it, whether or not its answer came: the import can be cancelled next. */}
        <Button
          disabled={sent >= file.size}
          onClick={() => {
            onCancel();
            toast("Upload cancelled", { description: "No lines were imported." });
          }}
        >
          <X aria-hidden className="size-4 text-muted" />
          Cancel upload
        </Button>
      </div>
    </div>
  );
}
