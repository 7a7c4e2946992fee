"use client";

import { ShieldAlert } from "lucide-react";
import Link from "next/link";
import type { Tenant } from "#components/shell/member.ts";
import { PageHeader } from "#components/shell/page-header.tsx";
import { buttonClass } from "#components/ui/button.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { useUnsavedWarning } from "#components/ui/use-unsaved-warning.ts";
import { importExceptionsContract } from "#lib/exceptions/contract.ts";
import { allows, type Role } from "#lib/wire/access.ts";
import { ColumnsTable } from "./columns-table.tsx";
import { FileChooser } from "./file-chooser.tsx";
import { ImportProgress } from "./import-progress.tsx";
import { RefusedLines } from "./refused-lines.tsx";
import { useImport } from "./use-import.ts";

export function ImportPage({ tenant, roles }: { tenant: Tenant; roles: readonly Role[] }) {
  const board = `/${tenant.id}/exceptions`;
  const { chosen, phase, progress, error, choose, start, resume, stop } = useImport(tenant.id);
  useUnsavedWarning(phase === "running" || phase === "stopped" || phase === "failed");
  return (
    <>
      <PageHeader tenantName={tenant.name} parent={{ name: "Exceptions", href: board }} title="Import exceptions" />
      <div className="flex max-w-3xl flex-col gap-6 px-4 pb-10 sm:px-6">
        {!allows(importExceptionsContract.access, { type: "user", roles }) ? (
          <Notice icon={ShieldAlert} title="Your role does not allow this">
            Importing needs the role of an admin, an analyst or a lead. Ask a tenant admin.
          </Notice>
        ) : !chosen ? (
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
              <Link href={board} className={`w-fit ${buttonClass({ variant: "primary" })}`}>
                See them on the board
              </Link>
            )}
            <RefusedLines refused={progress.refused} chosen={chosen} />
          </>
        )}
      </div>
    </>
  );
}
