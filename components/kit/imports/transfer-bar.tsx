import { formatBytes } from "#components/ui/format-bytes.ts";
import { ProgressBar } from "#components/ui/progress-bar.tsx";

/** `bytes`: omitted while unknown. `name`: of the bar, if it isn't the status. */
export function TransferBar({
  status,
  note,
  bytes,
  name = status,
}: {
  status: string;
  note?: string;
  bytes?: { done: number; all: number };
  name?: string;
}) {
  const done = bytes && Math.min(bytes.done, bytes.all);
  return (
    <div className="flex flex-col gap-1.5">
      <p role="status" className="text-sm font-medium">
        {status}
      </p>
      {bytes ? (
        <ProgressBar label={name} value={done ?? 0} max={Math.max(1, bytes.all)} />
      ) : (
        <div aria-hidden className="h-2 animate-pulse rounded-full bg-line" />
      )}
      <p className="flex flex-wrap justify-between gap-x-4 text-sm text-muted tabular-nums">
        <span>{note}</span>
        {bytes && (
          <span>
            {formatBytes(done ?? 0)} of {formatBytes(bytes.all)}
          </span>
        )}
      </p>
    </div>
  );
}
