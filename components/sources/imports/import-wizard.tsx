"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { useEffect } from "react";
import { isRefusal } from "#components/api-client.ts";
import { WizardSteps } from "#components/kit/imports/wizard-steps.tsx";
import { PartSkeleton } from "#components/kit/list-skeleton.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { Page } from "#components/kit/page.tsx";
import { ProblemNotice } from "#components/kit/problem-notice.tsx";
import { useSearch } from "#components/kit/use-search.ts";
import { FileDrop } from "#components/ui/file-drop.tsx";
import type { Source } from "#lib/sources/contract.ts";
import { linesKey } from "../lines/queries.ts";
import { sourceById, sourcesKey } from "../queries.ts";
import { sourcePageSearch } from "../search.ts";
import { SourceSkeleton } from "../source-skeletons.tsx";
import { ImportStep } from "./import-step.tsx";
import { importById, importsKey, isInProgress } from "./queries.ts";
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
  const previewState = usePreview(tenantId, source.id);
  const upload = useUpload(tenantId, source.id, ({ id }) => set({ import: id }));
  const imported = useLiveImport(search.import);
  const { file } = previewState;
  const isSending = upload.phase === "running";
  const step = search.import ? 2 : !file ? 0 : isSending ? 2 : 1;

  function restart() {
    set({ import: null });
    upload.reset();
    previewState.choose(null);
  }

  return (
    <WizardSteps steps={STEPS} current={step} file={file?.name}>
      {search.import ? (
        <ImportStep query={imported} source={source} onAnother={restart} />
      ) : !file ? (
        <div className="max-w-3xl">
          <FileDrop hint={FORMATS_HINT} onFile={previewState.choose} />
        </div>
      ) : isSending ? (
        <UploadStep file={file} sent={upload.progress} onCancel={upload.stop} />
      ) : (
        <CheckStep
          key={`${file.name} ${file.size} ${file.lastModified}`}
          source={source}
          file={file}
          previewState={previewState}
          uploadError={upload.error}
          onCommit={upload.start}
          onReset={restart}
        />
      )}
    </WizardSteps>
  );
}

/** The import in the URL, polled until it ends. Then everything that it changed is loaded again. */
function useLiveImport(id: string | null) {
  const tenantId = useTenantId();
  const cache = useQueryClient();
  const query = useQuery({ ...importById(tenantId, id ?? ""), enabled: id !== null });
  const ended = query.data !== undefined && !isInProgress(query.data);
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
