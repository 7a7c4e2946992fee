"use client";

import { CircleCheck, FileText, Pause, Play, X } from "lucide-react";
import type { ReactNode } from "react";
import { ProblemNote } from "#components/kit/problem-note.tsx";
import { Button } from "#components/ui/button.tsx";
import { ProgressBar } from "#components/ui/progress-bar.tsx";
import { inSize } from "#components/ui/size.ts";
import { FORMATS } from "./file-parts.ts";
import type { Progress } from "./run-import.ts";
import type { Chosen, Phase } from "./use-import.ts";

const STATUS: Record<Phase, string> = {
  idle: "Ready to import",
  running: "Importing",
  stopped: "Paused. Resume any time: no row is imported twice.",
  failed: "Interrupted. Imported rows are kept; resuming doesn't import any row twice.",
  done: "Finished",
};

/** The chosen file, its import's progress, and the actions. */
export function ImportProgress({
  chosen: { file, format },
  phase,
  progress,
  error,
  onStart,
  onStop,
  onResume,
  onReset,
}: {
  chosen: Chosen;
  phase: Phase;
  progress: Progress;
  error: Error | null;
  onStart: () => void;
  onStop: () => void;
  onResume: () => void;
  onReset: () => void;
}) {
  const bytes = phase === "done" ? file.size : Math.min(progress.bytes, file.size);
  const { accepted, already, refused } = progress;
  const refusedCount = new Set(refused.map(({ line }) => line)).size;
  return (
    <section
      aria-label="Import"
      className="flex flex-col gap-4 rounded-lg border border-line bg-raised p-4 shadow-raised sm:p-5"
    >
      <div className="flex items-start gap-3">
        <FileText aria-hidden className="mt-0.5 size-5 shrink-0 text-muted" />
        <p className="min-w-0 flex-1">
          <span className="block truncate font-medium">{file.name}</span>
          <span className="text-sm text-muted">
            {FORMATS[format].name}, {inSize(file.size)}
          </span>
        </p>
        {phase === "idle" && (
          <Button variant="ghost" size="icon" aria-label="Choose another file" onClick={onReset}>
            <X aria-hidden className="size-4" />
          </Button>
        )}
      </div>
      {phase !== "idle" && (
        <>
          <div className="flex flex-col gap-1.5">
            <ProgressBar label="Import" value={bytes} max={file.size} />
            <p className="flex flex-wrap justify-between gap-x-4 text-sm text-muted tabular-nums">
              <span role="status">{STATUS[phase]}</span>
              <span>
                {inSize(bytes)} of {inSize(file.size)}
              </span>
            </p>
          </div>
          <dl className="flex flex-wrap gap-x-8 gap-y-2 text-sm tabular-nums">
            <Figure name="Imported">
              {(accepted - already).toLocaleString("en")}
              {phase === "done" && refusedCount === 0 && (
                <CircleCheck aria-hidden className="ml-1.5 inline size-4 text-accent-text" />
              )}
            </Figure>
            {already > 0 && <Figure name="Already imported">{already.toLocaleString("en")}</Figure>}
            <Figure name="Rejected">{refusedCount.toLocaleString("en")}</Figure>
          </dl>
        </>
      )}
      {error && <ProblemNote error={error} />}
      <div className="flex flex-wrap gap-2">
        {phase === "idle" && (
          <Button variant="primary" onClick={onStart}>
            Start import
          </Button>
        )}
        {phase === "running" && (
          <Button onClick={onStop}>
            <Pause aria-hidden className="size-4" />
            Pause
          </Button>
        )}
        {(phase === "stopped" || phase === "failed") && (
          <Button variant="primary" onClick={onResume}>
            <Play aria-hidden className="size-4" />
            Resume
          </Button>
        )}
        {phase !== "idle" && phase !== "running" && (
          <Button onClick={onReset}>Import another file</Button>
        )}
      </div>
    </section>
  );
}

function Figure({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt className="text-xs text-muted">{name}</dt>
      <dd className="text-lg font-semibold">{children}</dd>
    </div>
  );
}
