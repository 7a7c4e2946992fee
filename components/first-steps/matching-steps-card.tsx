"use client";

import { useQuery } from "@tanstack/react-query";
import { Circle, CircleCheck, Download, X } from "lucide-react";
import { useEffect, useId, useState } from "react";
import { useTenantId } from "#components/kit/member.tsx";
import { resourceKey, singleQuery } from "#components/kit/query.ts";
import { sourcesNamed } from "#components/kit/source-names.ts";
import { classes } from "#components/ui/classes.ts";
import { PrefetchLink } from "#components/ui/prefetch-link.tsx";
import { saveFile } from "#components/ui/save-file.ts";
import { listReconciliationsContract } from "#lib/reconciliations/contract.ts";
import { matchingSteps } from "./matching-steps.ts";
import { SAMPLE_FILES } from "./sample-files.ts";

const REFRESH_MS = 10_000;
const READ_MAX = 50;
const keyOf = (tenant: string) => `tieout.matching-steps.${tenant}`;

function pairsOf(tenant: string) {
  return singleQuery({
    keyPrefix: resourceKey(tenant, "reconciliations"),
    contract: listReconciliationsContract,
    call: { tenant, query: { limit: String(READ_MAX) } },
  });
}

/** The first steps of those who match: from two sources to the first match, with sample files. */
export function MatchingStepsCard({ onGo }: { onGo?: () => void }) {
  const tenant = useTenantId();
  const [isHidden, setHidden] = useState(true);
  useEffect(() => setHidden(localStorage.getItem(keyOf(tenant)) !== null), [tenant]);
  const enabled = !isHidden;
  const sources = useQuery({
    ...sourcesNamed(tenant, ""),
    enabled,
    refetchInterval: REFRESH_MS,
  }).data;
  const pairs = useQuery({ ...pairsOf(tenant), enabled, refetchInterval: REFRESH_MS }).data;

  function hide(): void {
    localStorage.setItem(keyOf(tenant), "done");
    setHidden(true);
  }

  const steps = sources && pairs ? matchingSteps(tenant, sources.items, pairs.items) : null;
  const isDone = steps?.every(({ done }) => done) ?? false;
  useEffect(() => {
    if (isDone) localStorage.setItem(keyOf(tenant), "done");
  }, [isDone, tenant]);
  if (isHidden || !steps || isDone) return null;
  return <Steps steps={steps} onGo={onGo} onHide={hide} />;
}

function Steps({
  steps,
  onGo,
  onHide,
}: {
  steps: ReturnType<typeof matchingSteps>;
  onGo: (() => void) | undefined;
  onHide: () => void;
}) {
  const id = useId();
  const next = steps.find(({ done }) => !done);
  return (
    <section
      aria-labelledby={id}
      className="flex flex-col gap-1 rounded-lg border border-line bg-surface p-2 shadow-raised"
    >
      <header className="flex items-center gap-2 pl-2">
        <h2 id={id} className="text-sm font-semibold">
          First steps
        </h2>
        <p className="text-xs text-muted">
          {steps.filter(({ done }) => done).length} of {steps.length}
        </p>
        <button
          type="button"
          aria-label="Dismiss the first steps"
          onClick={onHide}
          className="ml-auto flex size-6 items-center justify-center rounded-sm text-muted hover:bg-hover hover:text-ink max-lg:size-11"
        >
          <X aria-hidden className="size-4" />
        </button>
      </header>
      <ol className="flex flex-col gap-0.5">
        {steps.map((step) => (
          <li
            key={step.title}
            className={classes(step !== next && "lg:[@media(max-height:68rem)]:hidden")}
          >
            <PrefetchLink
              href={step.href}
              onClick={onGo}
              className={classes(
                "flex min-h-8 items-center gap-2 rounded-md",
                "px-2 text-sm hover:bg-hover max-lg:min-h-11",
                step.done && "text-muted",
                step === next && "font-medium",
              )}
            >
              {step.done ? (
                <CircleCheck aria-hidden className="size-4 shrink-0 text-accent-text" />
              ) : (
                <Circle aria-hidden className="size-4 shrink-0 text-muted" />
              )}
              <span className="sr-only">{step.done ? "Done:" : "To do:"}</span>
              {step.title}
            </PrefetchLink>
          </li>
        ))}
      </ol>
      {!steps[1]?.done && (
        <ul aria-label="Sample files" className="flex flex-col px-2 text-xs">
          {SAMPLE_FILES.map(({ name, text }) => (
            <li key={name}>
              <button
                type="button"
                onClick={() => saveFile(new Blob([text], { type: "text/csv" }), name)}
                className="flex min-h-6 items-center gap-1.5 text-accent-text hover:underline max-lg:min-h-11"
              >
                <Download aria-hidden className="size-3.5" />
                {name}
              </button>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
