"use client";

import Link from "next/link";
import { useTenantId } from "#components/kit/member.tsx";
import { Page } from "#components/kit/page.tsx";
import { buttonClass } from "#components/ui/button.tsx";
import { useUnsavedWarning } from "#components/ui/use-unsaved-warning.ts";
import { ColumnsTable } from "./columns-table.tsx";
import { FileChooser } from "./file-chooser.tsx";
import { ImportProgress } from "./import-progress.tsx";
import { RefusedLines } from "./refused-lines.tsx";
import { useImport } from "./use-import.ts";

export function ImportPage() {
  const tenantId = useTenantId();
  const { chosen, phase, progress, error, choose, start, resume, stop } = useImport(tenantId);
  useUnsavedWarning(phase === "running" || phase === "stopped" || phase === "failed");
  return (
    <Page parent={{ name: "Exceptions", path: "exceptions" }} title="Import exceptions">
      <div className="flex max-w-3xl flex-col gap-6">
        {!chosen ? (
          <>
            <FileChooser onChoose={choose} />
            <ColumnsTable />
          </>
        ) : (
          <>
            <ImportProgress
              chosen={chosen}
              phase={phase}
              progress={progress}
              error={error}
              onStart={start}
              onStop={stop}
              onResume={resume}
              onReset={() => choose(null)}
            />
            {phase === "done" && progress.accepted > 0 && (
              <Link
                href={`/${tenantId}/exceptions`}
                className={`w-fit ${buttonClass({ variant: "primary" })}`}
              >
                View on the board
              </Link>
            )}
            <RefusedLines refused={progress.refused} chosen={chosen} />
          </>
        )}
      </div>
    </Page>
  );
}
