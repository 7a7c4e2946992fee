"use client";

import { WizardSteps } from "#components/kit/imports/wizard-steps.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { Page } from "#components/kit/page.tsx";
import { useUnsavedWarning } from "#components/ui/use-unsaved-warning.ts";
import { ColumnsTable } from "./columns-table.tsx";
import { FileChooser } from "./file-chooser.tsx";
import { ImportProgress } from "./import-progress.tsx";
import { RefusedLines } from "./refused-lines.tsx";
import { useImport } from "./use-import.ts";

const STEPS = ["Choose a file", "Import"] as const;

export function ImportPage() {
  const { chosen, choose, ...transfer } = useImport(useTenantId());
  const { phase, progress } = transfer;
  useUnsavedWarning(phase === "running" || phase === "stopped" || phase === "failed");
  return (
    <Page parent={{ name: "Exceptions", path: "exceptions" }} title="Import exceptions">
      <WizardSteps steps={STEPS} current={chosen ? 1 : 0} file={chosen?.file.name}>
        <div className="flex max-w-3xl flex-col gap-6">
          {chosen ? (
            <>
              <ImportProgress chosen={chosen} {...transfer} onReset={() => choose(null)} />
              <RefusedLines refused={progress.refused} chosen={chosen} />
            </>
          ) : (
            <>
              <FileChooser onChoose={choose} />
              <ColumnsTable />
            </>
          )}
        </div>
      </WizardSteps>
    </Page>
  );
}
