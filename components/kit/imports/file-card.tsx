import { FileText, X } from "lucide-react";
import { Button } from "#components/ui/button.tsx";
import { formatBytes } from "#components/ui/format-bytes.ts";

/** The chosen file. `facts`: what is known of its format. */
export function FileCard({
  file,
  onReset,
  facts,
}: {
  file: File;
  onReset?: () => void;
  facts?: readonly (readonly [string, string])[];
}) {
  return (
    <div className="flex items-start gap-3 rounded-lg border border-line bg-raised p-3 shadow-raised sm:p-4">
      <FileText aria-hidden className="mt-0.5 size-5 shrink-0 text-muted" />
      <div className="flex min-w-0 flex-1 flex-col gap-2">
        <p className="min-w-0">
          <span className="block truncate font-medium">{file.name}</span>
          <span className="text-sm text-muted">{formatBytes(file.size)}</span>
        </p>
        {facts && (
          <dl className="flex flex-wrap gap-x-5 gap-y-1 text-sm">
            {facts.map(([name, value]) => (
              <div key={name} className="flex gap-1.5">
                <dt className="text-muted">{name}</dt>
                <dd className="font-medium">{value}</dd>
              </div>
            ))}
          </dl>
        )}
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
