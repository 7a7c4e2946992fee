"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Check } from "lucide-react";
import dynamic from "next/dynamic";
import { useEffect, useRef } from "react";
import { isRefusal } from "#components/api-client.ts";
import { PartSkeleton } from "#components/kit/list-skeleton.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { Page } from "#components/kit/page.tsx";
import { ProblemNotice } from "#components/kit/problem-notice.tsx";
import { useSearch } from "#components/kit/use-search.ts";
import { classes } from "#components/ui/classes.ts";
import { FileDrop } from "#components/ui/file-drop.tsx";
import type { Source } from "#lib/sources/contract.ts";
import { linesKey } from "../lines/queries.ts";
import { sourceById, sourcesKey } from "../queries.ts";
import { sourcePageSearch } from "../search.ts";
import { SourceSkeleton } from "../source-skeletons.tsx";
import { ImportStep } from "./import-step.tsx";
import { importById, importsKey, isAtWork } from "./queries.ts";
import { UploadStep } from "./upload-step.tsx";
import { usePreview } from "./use-preview.ts";
import { useUpload } from "./use-upload.ts";

/** Loaded with the first file. */
const CheckStep = dynamic(() => import("./check-step.tsx").then((part) => part.CheckStep), {
  loading: () => (
    <PartSkeleton
      label="Reading the beginning of the file"
      bars={["h-20 w-full max-w-3xl", "h-56 w-full max-w-3xl"]}
    />
  ),
});

const STEPS = ["Choose a file", "Check", "Import"] as const;
const FORMATS_HINT =
  "or drop it here. CSV, Excel (.xlsx), camt.052 to 054, MT940, MT942, BAI2, OFX, NDJSON or JSON, up to 1 GB; also as .zip or .gz. Nothing is imported yet.";

/** Imports a file into a source: choose, check, import. An import that has begun is in the URL. */
export function ImportWizard({ sourceId }: { sourceId: string }) {
  const tenantId = useTenantId();
  const { data: source, error, refetch } = useQuery(sourceById(tenantId, sourceId));
  return (
    <Page
      parent={{ name: source?.name ?? "Source", path: `sources/${sourceId}` }}
      title="Import a file"
    >
      {source && !(error && isRefusal(error)) ? (
        <Steps source={source} />
      ) : error ? (
        <ProblemNotice error={error} onRetry={() => refetch()} />
      ) : (
        <SourceSkeleton />
      )}
    </Page>
  );
}

function Steps({ source }: { source: Source }) {
  const tenantId = useTenantId();
  const { search, set } = useSearch(sourcePageSearch);
  const asking = usePreview(tenantId, source.id);
  const upload = useUpload(tenantId, source.id, ({ id }) => set({ import: id }));
  const imported = useLiveImport(search.import);
  const { file } = asking;
  const step = search.import ? 2 : !file ? 0 : upload.isPending ? 2 : 1;
  const heading = useFocusOf(`${step} ${file?.name ?? ""}`);

  function restart() {
    set({ import: null });
    upload.reset();
    asking.choose(null);
  }

  return (
    <div className="flex flex-col gap-6">
      <Progress step={step} />
      <h2 ref={heading} tabIndex={-1} className="sr-only">
        {STEPS[step]}
      </h2>
      {search.import ? (
        <ImportStep query={imported} source={source} onAnother={restart} />
      ) : !file ? (
        <div className="max-w-3xl">
          <FileDrop hint={FORMATS_HINT} onFile={asking.choose} />
        </div>
      ) : upload.isPending ? (
        <UploadStep file={file} sent={upload.sent} onCancel={upload.cancel} />
      ) : (
        <CheckStep
          key={`${file.name} ${file.size} ${file.lastModified}`}
          source={source}
          file={file}
          asking={asking}
          uploadError={upload.error}
          onCommit={upload.start}
          onReset={restart}
        />
      )}
    </div>
  );
}

function Progress({ step }: { step: number }) {
  return (
    <ol aria-label="Steps" className="flex flex-wrap gap-x-2 gap-y-1 text-sm">
      {STEPS.map((name, at) => (
        <li
          key={name}
          aria-current={at === step ? "step" : undefined}
          className={classes(
            "flex items-center gap-2 not-last:after:mx-1 not-last:after:h-px not-last:after:w-6 not-last:after:bg-field not-last:after:content-[''] max-sm:not-last:after:w-2",
            at === step ? "font-medium text-ink" : "text-muted",
          )}
        >
          <span
            className={classes(
              "flex size-5 items-center justify-center rounded-full border text-xs tabular-nums",
              at < step
                ? "border-accent bg-accent text-on-accent"
                : at === step
                  ? "border-accent-text text-accent-text"
                  : "border-field",
            )}
          >
            {at < step ? <Check aria-label="Done" className="size-3" strokeWidth={3} /> : at + 1}
          </span>
          {name}
        </li>
      ))}
    </ol>
  );
}

/** The import in the URL, polled until it ends. Then everything that it changed is loaded again. */
function useLiveImport(id: string | null) {
  const tenantId = useTenantId();
  const cache = useQueryClient();
  const query = useQuery({ ...importById(tenantId, id ?? ""), enabled: id !== null });
  const ended = query.data !== undefined && !isAtWork(query.data);
  useEffect(() => {
    if (!ended) return;
    for (const key of [sourcesKey(tenantId), linesKey(tenantId)])
      cache.invalidateQueries({ queryKey: key });
    cache.invalidateQueries({
      queryKey: importsKey(tenantId),
      predicate: ({ queryKey }) => queryKey.includes("listImports"),
    });
  }, [ended, cache, tenantId]);
  return query;
}

/**
 * Focuses the heading of each new step but the first, so that the keyboard and screen readers
 * follow.
 */
function useFocusOf(step: string) {
  const heading = useRef<HTMLHeadingElement>(null);
  const shown = useRef(step);
  useEffect(() => {
    if (shown.current === step) return;
    shown.current = step;
    heading.current?.focus();
  }, [step]);
  return heading;
}
