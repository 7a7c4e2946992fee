"use client";

import { Pause, Play } from "lucide-react";
import Link from "next/link";
import { FileCard } from "#components/kit/imports/file-card.tsx";
import { ImportCounts } from "#components/kit/imports/import-counts.tsx";
import { TransferBar } from "#components/kit/imports/transfer-bar.tsx";
import type { TransferPhase } from "#components/kit/imports/use-transfer.ts";
import { useTenantId } from "#components/kit/member.tsx";
import { ProblemNote } from "#components/kit/problem-note.tsx";
import { Button, buttonClass } from "#components/ui/button.tsx";
import { FORMATS } from "./file-parts.ts";
import type { Progress } from "./run-import.ts";
import type { Chosen } from "./use-import.ts";

const STATUS: Record<Exclude<TransferPhase, "idle">, { status: string; note?: string }> = {
  running: { status: "Importing" },
  stopped: { status: "Paused", note: "Resume any time: no row is imported twice." },
  failed: {
    status: "Interrupted",
    note: "Imported rows are kept; resuming doesn't import any row twice.",
  },
  done: { status: "Finished" },
};

/** The chosen file, its import's progress, and the actions. */
export function ImportProgress({
  chosen: { file, format },
  phase,
  progress,
  error,
  start,
  stop,
  onReset,
}: {
  chosen: Chosen;
  phase: TransferPhase;
  progress: Progress;
  error: Error | null;
  start: () => void;
  stop: () => void;
  onReset: () => void;
}) {
  const tenantId = useTenantId();
  const { accepted, already, refused } = progress;
  return (
    <section aria-label="Import" className="@container flex flex-col gap-4">
      <FileCard
        file={file}
        facts={[["Format", FORMATS[format].name]]}
        {...(phase === "idle" && { onReset })}
      />
      {phase !== "idle" && (
        <>
          <TransferBar
            name="Import"
            {...STATUS[phase]}
            bytes={{ done: phase === "done" ? file.size : progress.bytes, all: file.size }}
          />
          <ImportCounts
            counts={[
              ["Imported", accepted - already],
              ...(already > 0 ? [["Already imported", already] as const] : []),
              ["Rejected", new Set(refused.map(({ line }) => line)).size],
            ]}
          />
        </>
      )}
      {error && <ProblemNote error={error} />}
      <div className="flex flex-wrap gap-2">
        {phase === "idle" && (
          <Button variant="primary" onClick={start}>
            Start import
          </Button>
        )}
        {phase === "running" && (
          <Button onClick={stop}>
            <Pause aria-hidden className="size-4" />
            Pause
          </Button>
        )}
        {(phase === "stopped" || phase === "failed") && (
          <Button variant="primary" onClick={start}>
            <Play aria-hidden className="size-4" />
            Resume
          </Button>
        )}
        {phase === "done" && accepted > 0 && (
          <Link href={`/${tenantId}/exceptions`} className={buttonClass({ variant: "primary" })}>
            View on the board
          </Link>
        )}
        {phase !== "idle" && phase !== "running" && (
          <Button onClick={onReset}>Import another file</Button>
        )}
      </div>
    </section>
  );
}
