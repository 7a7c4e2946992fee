import { RejectedRows } from "#components/kit/rejected-rows.tsx";
import { Note } from "#components/ui/note.tsx";
import { pluralize } from "#components/ui/pluralize.ts";
import type { ImportPreview } from "#lib/imports/contract.ts";
import { moreNote } from "../labels.ts";
import { SkippedRows } from "./skipped-rows.tsx";

/** The counts of the preview, in a sentence. */
export function PreviewOutcome({ preview }: { preview: ImportPreview }) {
  const {
    questions,
    failure,
    complete,
    read_count,
    duplicate_count,
    checked_count,
    refused_count,
    skipped_count,
  } = preview;
  if (questions.length > 0)
    return <p className="text-sm text-muted">Answer the question above to preview the lines.</p>;
  if (failure) return <Note tone="danger">This file can't be imported. {failure}</Note>;
  const parts = [
    pluralize(read_count, "line"),
    duplicate_count > 0 &&
      `${duplicate_count.toLocaleString("en")}${checked_count < read_count ? ` of the first ${checked_count.toLocaleString("en")}` : ""} already there`,
    refused_count > 0 && `${refused_count.toLocaleString("en")} rejected`,
    skipped_count > 0 && `${skipped_count.toLocaleString("en")} skipped`,
  ].filter(Boolean);
  return (
    <div className="flex flex-col gap-0.5">
      <h3 className="font-semibold">
        {preview.lines.length < read_count ? `First ${preview.lines.length} lines` : "Lines"}
      </h3>
      <p role="status" className="text-sm text-muted tabular-nums">
        {!complete && "In the first MB: "}
        {parts.join(" · ")}
      </p>
    </div>
  );
}

/** The rows that were rejected or skipped. */
export function UnreadRows({ preview }: { preview: ImportPreview }) {
  const { refusals, refused_count, skips, skipped_count, failure } = preview;
  return (
    <>
      {refusals.length > 0 && (
        <div className="flex flex-col gap-2">
          <h3 className="font-semibold">{failure ? "Why it can't be read" : "Rejected rows"}</h3>
          <RejectedRows rows={refusals} more={moreNote(refusals, refused_count)} />
        </div>
      )}
      {skips.length > 0 && (
        <div className="flex flex-col gap-2">
          <h3 className="font-semibold">Skipped rows</h3>
          <SkippedRows rows={skips} more={moreNote(skips, skipped_count)} />
        </div>
      )}
    </>
  );
}
