import { FileText, X } from "lucide-react";
import type { ReactNode } from "react";
import { Button } from "#components/ui/button.tsx";
import { inSize } from "#components/ui/size.ts";

/** The chosen file. `children`: its detected format. */
export function FileCard({
  file,
  onReset,
  children,
}: {
  file: File;
  onReset?: () => void;
  children?: ReactNode;
}) {
  return (
    <div className="flex items-start gap-3 rounded-lg border border-line bg-raised p-3 shadow-raised sm:p-4">
      <FileText aria-hidden className="mt-0.5 size-5 shrink-0 text-muted" />
      <div className="flex min-w-0 flex-1 flex-col gap-2">
        <p className="min-w-0">
          <span className="block truncate font-medium">{file.name}</span>
          <span className="text-sm text-muted">{inSize(file.size)}</span>
        </p>
        {children}
      </div>
      {onReset && (
        <Button
          variant="ghost"
          size="icon"
          aria-label="Choose another file"
          title="Choose another file"
          onClick={onReset}
        >
          <X aria-hidden className="size-4" />
        </Button>
      )}
    </div>
  );
}
