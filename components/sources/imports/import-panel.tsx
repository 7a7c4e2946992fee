"use client";

import { ListFilter } from "lucide-react";
import Link from "next/link";
import { Fact, Facts, IdentifierFact } from "#components/kit/facts.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { PanelBody, PanelHead, PanelSection, PanelTitle } from "#components/kit/panel-parts.tsx";
import { useIsAllowed } from "#components/kit/permissions.ts";
import { RejectedRows } from "#components/kit/rejected-rows.tsx";
import { ResourcePanel } from "#components/kit/resource-panel.tsx";
import { ActorName } from "#components/people/actor-name.tsx";
import { buttonClass } from "#components/ui/button.tsx";
import { formatBytes } from "#components/ui/format-bytes.ts";
import { Note } from "#components/ui/note.tsx";
import { type Import, undoImportContract } from "#lib/imports/contract.ts";
import { FORMAT_TRAITS } from "#lib/imports/formats/mapping.ts";
import { moreNote } from "../labels.ts";
import { BalanceCheck } from "./balance-check.tsx";
import { ImportFigures, ImportProgress } from "./import-state.tsx";
import { ImportWarnings } from "./import-warnings.tsx";
import { ImportBadge } from "./labels.tsx";
import { importById, isInProgress } from "./queries.ts";
import { SkippedRows } from "./skipped-rows.tsx";
import { CancelImport, UndoImport } from "./undo-import.tsx";

/** An import next to the page of its source. `currency`: the source's. */
export function ImportPanel({
  id,
  currency,
  onClose,
}: {
  id: string | null;
  currency: string;
  onClose: () => void;
}) {
  const tenantId = useTenantId();
  return (
    <ResourcePanel
      id={id}
      query={(importId) => importById(tenantId, importId)}
      noun="import"
      title={({ file_name }) => file_name ?? "Import"}
      onClose={onClose}
    >
      {(imported) => <ImportDetails imported={imported} currency={currency} />}
    </ResourcePanel>
  );
}

function ImportDetails({ imported, currency }: { imported: Import; currency: string }) {
  return (
    <PanelBody>
      <PanelHead>
        <ImportBadge imported={imported} />
        <PanelTitle>{imported.file_name ?? "Unnamed file"}</PanelTitle>
      </PanelHead>
      <ImportOutcome imported={imported} currency={currency} />
      <Facts ruled>
        <Fact name="Format">{FORMAT_TRAITS[imported.format].name}</Fact>
        <Fact name="Size">{formatBytes(imported.bytes_total)}</Fact>
        <Fact name="Uploaded">
          <ActorName iso={imported.created_at} actor={imported.created_by} />
        </Fact>
        {imported.undone_at && (
          <Fact name="Undone">
            <ActorName iso={imported.undone_at} actor={imported.undone_by} />
          </Fact>
        )}
        <IdentifierFact name="ID" value={imported.id} />
      </Facts>
    </PanelBody>
  );
}

/** The import's progress, its result, and the actions on it. */
export function ImportOutcome({ imported, currency }: { imported: Import; currency: string }) {
  const { status, accepted_count, refused_count, skipped_count } = imported;
  const { refusals, skips, statements, failure, warnings } = imported;
  const tenantId = useTenantId();
  const mayUndo = useIsAllowed(undoImportContract.access);
  return (
    <>
      {isInProgress(imported) && <ImportProgress imported={imported} />}
      {failure && (
        <Note tone="danger">
          <p className="font-medium">Nothing of this file was kept.</p>
          <p>{failure}</p>
        </Note>
      )}
      {status === "done" && <ImportFigures imported={imported} />}
      <div className="flex flex-wrap gap-2 empty:hidden">
        {status === "done" && accepted_count > 0 && (
          <Link
            href={`/${tenantId}/lines?source_id=${imported.source_id}&import_id=${imported.id}`}
            className={buttonClass({ variant: "primary" })}
          >
            <ListFilter aria-hidden className="size-4" />
            View its lines
          </Link>
        )}
        {mayUndo && status === "done" && <UndoImport imported={imported} />}
        {mayUndo && (status === "queued" || status === "reading") && (
          <CancelImport imported={imported} />
        )}
      </div>
      {status !== "undone" && <BalanceCheck statements={statements} currency={currency} />}
      {status !== "undone" && <ImportWarnings warnings={warnings} />}
      {skips.length > 0 && (
        <PanelSection title="Skipped rows">
          <SkippedRows rows={skips} more={moreNote(skips, skipped_count)} />
        </PanelSection>
      )}
      {refusals.length > 0 && (
        <PanelSection title={refused_count > 0 ? "Rejected rows" : "Problems"}>
          <p className="text-sm text-muted">
            Fix only these rows and import them as a file. Rows already imported are skipped.
          </p>
          <RejectedRows rows={refusals} more={moreNote(refusals, refused_count)} />
        </PanelSection>
      )}
    </>
  );
}
