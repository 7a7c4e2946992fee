"use client";

import { useState } from "react";
import { FileCard } from "#components/kit/imports/file-card.tsx";
import { PartSkeleton } from "#components/kit/list-skeleton.tsx";
import { ProblemNote } from "#components/kit/problem-note.tsx";
import { Button } from "#components/ui/button.tsx";
import { CheckField } from "#components/ui/check-field.tsx";
import { pluralize } from "#components/ui/pluralize.ts";
import type { ImportPreview } from "#lib/imports/contract.ts";
import type { Source } from "#lib/sources/contract.ts";
import { BalanceCheck } from "./balance-check.tsx";
import { detectedFacts } from "./detected-facts.ts";
import { sameMapping } from "./draft.ts";
import { ImportWarnings } from "./import-warnings.tsx";
import { MappingFields } from "./mapping-fields.tsx";
import { ParsedLines } from "./parsed-lines.tsx";
import { PathFields } from "./path-fields.tsx";
import { PreviewOutcome, UnreadRows } from "./preview-outcome.tsx";
import { QuestionNote } from "./question.tsx";
import { SignChoice } from "./sign-choice.tsx";
import { Unreadable } from "./unreadable.tsx";
import { keyOf, useChoices } from "./use-choices.ts";
import type { PreviewState } from "./use-preview.ts";
import type { Commit } from "./use-upload.ts";

type Props = {
  source: Source;
  file: File;
  previewState: PreviewState;
  uploadError: Error | null;
  onCommit: (commit: Commit) => void;
  onReset: () => void;
};

/** Shows the detected format, the mapping, and what the import would do. */
export function CheckStep({ source, file, previewState, uploadError, onCommit, onReset }: Props) {
  const { preview, error } = previewState;
  if (!preview) {
    return (
      <div className="flex max-w-3xl flex-col gap-4">
        <FileCard file={file} onReset={onReset} />
        {error ? (
          <Unreadable error={error} onRetry={() => previewState.askWith(null)} onReset={onReset} />
        ) : (
          <PartSkeleton
            label="Reading the beginning of the file"
            bars={["h-5 w-48", "h-56 w-full"]}
          />
        )}
      </div>
    );
  }
  // With other cells the file has other columns, so previous choices don't apply.
  const { encoding, mapping } = preview;
  const cut = `${encoding} ${mapping?.delimiter} ${mapping?.header_row !== false}`;
  return (
    <Checked
      key={cut}
      {...{ source, file, previewState, uploadError, onCommit, onReset, preview }}
    />
  );
}

function Checked({
  source,
  file,
  previewState,
  uploadError,
  onCommit,
  onReset,
  preview,
}: Props & { preview: ImportPreview }) {
  const {
    mapping,
    columns,
    style,
    missing,
    isJson,
    isMapped,
    asked,
    answers,
    setStyle,
    change,
    answer,
  } = useChoices(preview, previewState);
  const [sign, setSign] = useState(source.sign);
  const [savesMapping, setSavesMapping] = useState(true);
  const isReadable =
    preview.questions.length === 0 &&
    missing.length === 0 &&
    preview.failure === null &&
    preview.read_count > 0;
  const learns = isMapped && mapping !== null && !sameMapping(mapping, source.mapping);

  function commit() {
    onCommit({
      file,
      mapping: isMapped ? mapping : null,
      sourceChanges: {
        ...(learns && savesMapping && { mapping }),
        ...(sign !== source.sign && { sign }),
      },
    });
  }

  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (isReadable && !previewState.isPending) commit();
      }}
      className="flex flex-col gap-6"
    >
      <div className="flex max-w-3xl flex-col gap-4">
        <FileCard file={file} facts={detectedFacts(preview, mapping)} onReset={onReset} />
        {asked.map((question, at) =>
          question.choices.length === 1 ? null : (
            <QuestionNote
              key={keyOf(question)}
              question={question}
              answer={answers[keyOf(question)] ?? ""}
              onAnswer={(value) => answer(at, question, value)}
            />
          ),
        )}
      </div>
      <div
        className={
          columns && mapping
            ? "grid gap-x-10 gap-y-6 @4xl:grid-cols-[20rem_minmax(0,1fr)]"
            : "flex max-w-3xl flex-col gap-6"
        }
      >
        {columns && mapping && (
          <section aria-label="Columns" className="flex min-w-0 flex-col gap-4 @max-4xl:order-last">
            <h3 className="font-semibold">Columns</h3>
            <MappingFields
              columns={columns}
              mapping={mapping}
              style={style}
              missing={missing}
              onStyle={setStyle}
              onChange={change}
              encoding={preview.encoding}
              onLayout={(layout) => previewState.askWith({ fields: {}, ...layout })}
            />
          </section>
        )}
        {isJson && mapping && <PathFields mapping={mapping} onChange={change} />}
        <section aria-label="Preview" className="flex min-w-0 flex-col gap-4">
          <PreviewOutcome preview={preview} />
          {preview.lines.length > 0 && (
            <ParsedLines lines={preview.lines} sign={sign} stale={previewState.isPending} />
          )}
          {preview.lines.length > 0 && source.line_count === 0 && (
            <SignChoice sign={sign} kind={source.kind} onChange={setSign} />
          )}
          <BalanceCheck statements={preview.statements} currency={source.currency} />
          <ImportWarnings warnings={preview.warnings} />
          <UnreadRows preview={preview} />
          {previewState.error && (
            <div role="alert">
              <ProblemNote error={previewState.error} />
            </div>
          )}
        </section>
      </div>
      <div className="pinned sticky bottom-0 -mx-4 flex flex-col gap-3 border-t border-line bg-surface px-4 py-3 sm:-mx-6 sm:px-6">
        {uploadError && (
          <div role="alert">
            <ProblemNote error={uploadError}>
              Trying again is safe: the file is imported once.
            </ProblemNote>
          </div>
        )}
        {learns && (
          <CheckField
            label="Use this mapping for the source's next files"
            checked={savesMapping}
            onChange={({ target }) => setSavesMapping(target.checked)}
          />
        )}
        <div className="flex flex-wrap items-center gap-2">
          <Button type="submit" variant="primary" disabled={!isReadable || previewState.isPending}>
            {uploadError ? "Try again" : label(preview)}
          </Button>
          <Button onClick={onReset}>Choose another file</Button>
          {!isReadable && !previewState.isPending && (
            <p className="text-sm text-muted">{obstacle(preview, missing.length)}</p>
          )}
        </div>
      </div>
    </form>
  );
}

function label({ complete, read_count, duplicate_count, checked_count }: ImportPreview): string {
  if (!complete || checked_count < read_count || read_count === 0) return "Import file";
  const fresh = read_count - duplicate_count;
  return fresh === 0 ? "Import anyway" : `Import ${pluralize(fresh, "line")}`;
}

function obstacle(preview: ImportPreview, missing: number): string {
  const { questions, failure, refused_count, skipped_count } = preview;
  if (questions.length > 0) return "Answer the question above.";
  if (missing > 0) return "Choose the missing columns.";
  if (failure) return failure;
  if (refused_count > 0) return "No row of the file can be read.";
  return skipped_count > 0 ? "All rows are skipped." : "The file has no rows.";
}
