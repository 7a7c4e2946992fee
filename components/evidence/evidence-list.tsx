"use client";

import dynamic from "next/dynamic";
import { useState } from "react";
import { PartSkeleton } from "#components/kit/list-skeleton.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { useIsAllowed } from "#components/kit/permissions.ts";
import { ProblemNote } from "#components/kit/problem-note.tsx";
import { useList } from "#components/kit/use-list.ts";
import { FileDrop } from "#components/ui/file-drop.tsx";
import { addEvidenceContract, type Evidence } from "#lib/evidence/contract.ts";
import { EvidenceFile } from "./evidence-file.tsx";
import { evidencePages } from "./queries.ts";
import { useAddEvidence } from "./use-add-evidence.ts";

const RemoveDialog = dynamic(
  () => import("./remove-dialog.tsx").then((part) => part.RemoveDialog),
  { ssr: false },
);

const ACCEPTED = ".pdf,.png,.jpg,.jpeg,.gif,.webp,.tif,.tiff,.heic,.xlsx,.csv,.eml,.txt";

/** The files kept with an exception, a match, a line or a period, and a place to drop more. */
export function EvidenceList({ subjectId }: { subjectId: string }) {
  // Until its own have come, a list shows those of the subject before.
  const { items, newest, failure, isStale } = useList(evidencePages(useTenantId(), subjectId));
  const mayAdd = useIsAllowed(addEvidenceContract.access);
  const adding = useAddEvidence(subjectId);
  const [removed, setRemoved] = useState<Evidence | null>(null);
  return (
    <div className="flex min-w-0 flex-col gap-2 text-sm">
      {failure ? (
        <ProblemNote error={failure} />
      ) : newest === undefined || isStale ? (
        <PartSkeleton label="Loading evidence" bars={["h-10 w-full"]} />
      ) : items.length === 0 ? (
        <p className="text-muted">No evidence yet.</p>
      ) : (
        <ul aria-label="Evidence, newest first">
          {items.map((file) => {
            const isNewest = file.superseded_by === null;
            return (
              <EvidenceFile
                key={file.id}
                file={file}
                onReplace={
                  mayAdd && isNewest && file.is_signed
                    ? (newer) => adding.start([newer], file.id)
                    : undefined
                }
                onRemove={
                  mayAdd && isNewest && !file.is_signed ? () => setRemoved(file) : undefined
                }
              />
            );
          })}
        </ul>
      )}
      {mayAdd && (
        <>
          {adding.error && <ProblemNote error={adding.error} />}
          <FileDrop
            compact
            accept={ACCEPTED}
            label="Add files"
            hint={
              adding.isPending
                ? `Uploading file ${adding.place}…`
                : "PDF, image, Excel, CSV, email or text, up to 10 MB each."
            }
            onFiles={(files) => !adding.isPending && adding.start(files)}
          />
        </>
      )}
      {removed && <RemoveDialog file={removed} onClose={() => setRemoved(null)} />}
    </div>
  );
}
