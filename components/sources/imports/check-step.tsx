"use client";

import { useEffect, useState } from "react";
import { ApiProblem } from "#components/api-client.ts";
import { PartSkeleton } from "#components/kit/list-skeleton.tsx";
import { ProblemNote } from "#components/kit/problem-note.tsx";
import { RejectedRows } from "#components/kit/rejected-rows.tsx";
import { Button } from "#components/ui/button.tsx";
import { CheckField } from "#components/ui/check-field.tsx";
import { Note } from "#components/ui/note.tsx";
import { pluralize } from "#components/ui/pluralize.ts";
import { RadioGroup } from "#components/ui/radio-group.tsx";
import type { ImportPreview } from "#lib/imports/contract.ts";
import { FORMAT_TRAITS, type Mapping } from "#lib/imports/formats/mapping.ts";
import type { Source } from "#lib/sources/contract.ts";
import { moreThan } from "../words.ts";
import { BalanceCheck } from "./balance-check.tsx";
import {
  type AmountStyle,
  amountStyleOf,
  missingColumns,
  NO_FIELDS,
  sameMapping,
  withAnswer,
} from "./draft.ts";
import { FileCard } from "./file-card.tsx";
import { ImportWarnings } from "./import-warnings.tsx";
import { MappingFields } from "./mapping-fields.tsx";
import { ParsedLines } from "./parsed-lines.tsx";
import { PathFields } from "./path-fields.tsx";
import { QuestionNote } from "./question.tsx";
import { Recognized } from "./recognized.tsx";
import { SkippedRows } from "./skipped-rows.tsx";
import { isColumns, type PreviewState } from "./use-preview.ts";
import type { Commit } from "./use-upload.ts";

type Props = {
  source: Source;
  file: File;
  asking: PreviewState;
  uploadError: Error | null;
  onCommit: (commit: Commit) => void;
  onReset: () => void;
};

/** What the file was taken for, how it's read, and what the import would do. */
export function CheckStep({ source, file, asking, uploadError, onCommit, onReset }: Props) {
  const { preview, error } = asking;
  if (!preview) {
    return (
      <div className="flex max-w-3xl flex-col gap-4">
        <FileCard file={file} onReset={onReset} />
        {error ? (
          <Unreadable error={error} onRetry={() => asking.askWith(null)} onReset={onReset} />
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
    <Checked key={cut} {...{ source, file, asking, uploadError, onCommit, onReset, preview }} />
  );
}

function Unreadable({
  error,
  onRetry,
  onReset,
}: {
  error: Error;
  onRetry: () => void;
  onReset: () => void;
}) {
  const found = error instanceof ApiProblem ? error.errors : [];
  return (
    <div role="alert" className="flex flex-col items-start gap-3">
      {found.length > 0 ? (
        <Note tone="danger">
          {found.map(({ path, message }) => (
            <p key={`${path} ${message}`}>{message}</p>
          ))}
        </Note>
      ) : (
        <ProblemNote error={error} />
      )}
      <div className="flex flex-wrap gap-2">
        {found.length === 0 && (
          <Button variant="primary" onClick={onRetry}>
            Try again
          </Button>
        )}
        <Button variant={found.length > 0 ? "primary" : "secondary"} onClick={onReset}>
          Choose another file
        </Button>
      </div>
    </div>
  );
}

function Checked({
  source,
  file,
  asking,
  uploadError,
  onCommit,
  onReset,
  preview,
}: Props & { preview: ImportPreview }) {
  /**
   * What was changed of this preview's mapping; the next preview has it, and what follows from it.
   */
  const [edited, setEdited] = useState<{ mapping: Mapping; of: ImportPreview } | null>(null);
  const [chosenStyle, setStyle] = useState<AmountStyle | null>(null);
  const [answers, setAnswers] = useState<Readonly<Record<string, string>>>({});
  // A question that was answered stays, so that its answer can be changed.
  const [asked, setAsked] = useState(preview.questions);
  const more = preview.questions.filter((question) =>
    asked.every((known) => keyOf(known) !== keyOf(question)),
  );
  if (more.length > 0 && !asking.isPending) setAsked([...asked, ...more]);
  const [sign, setSign] = useState(source.sign);
  const [keeps, setKeeps] = useState(true);

  const isJson = FORMAT_TRAITS[preview.format].fields === "paths";
  const changed = edited?.of === preview ? edited.mapping : null;
  const mapping = changed ?? preview.mapping ?? (isJson ? NO_FIELDS : null);
  const columns = isColumns(preview) ? preview.columns : null;
  const style = chosenStyle ?? (mapping ? amountStyleOf(mapping) : "signed");
  const missing = columns && mapping ? missingColumns(mapping, style) : [];
  const isReadable =
    preview.questions.length === 0 &&
    missing.length === 0 &&
    preview.failure === null &&
    preview.read_count > 0;
  const isMapped = columns !== null || (isJson && !sameMapping(mapping, NO_FIELDS));
  const learns = isMapped && mapping !== null && !sameMapping(mapping, source.mapping);

  function change(next: Mapping) {
    setEdited({ mapping: next, of: preview });
    if (isJson || missingColumns(next, style).length === 0 || preview.questions.length > 0)
      asking.askWith(next);
  }

  /** Later questions may not arise from another answer. */
  function answer(at: number, question: Question, value: string) {
    const kept = asked.slice(0, at + 1);
    setAsked(kept);
    setAnswers({
      ...Object.fromEntries(kept.map((one) => [keyOf(one), answers[keyOf(one)] ?? ""])),
      [keyOf(question)]: value,
    });
    if (mapping) change(withAnswer(mapping, question.about, value));
  }

  // A question with one answer isn't asked.
  const onlyAnswer = asked.findIndex(
    (question) => question.choices.length === 1 && !(keyOf(question) in answers),
  );
  useEffect(() => {
    const question = asked[onlyAnswer];
    const [choice] = question?.choices ?? [];
    if (question && choice && mapping) answer(onlyAnswer, question, choice.value);
  });

  function commit() {
    onCommit({
      file,
      mapping: isMapped ? mapping : null,
      keep: { ...(learns && keeps && { mapping }), ...(sign !== source.sign && { sign }) },
    });
  }

  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (isReadable && !asking.isPending) commit();
      }}
      className="flex flex-col gap-6"
    >
      <div className="flex max-w-3xl flex-col gap-4">
        <FileCard file={file} onReset={onReset}>
          <Recognized preview={preview} mapping={mapping} />
        </FileCard>
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
              onLayout={(layout) => asking.askWith({ fields: {}, ...layout })}
            />
          </section>
        )}
        {isJson && mapping && <PathFields mapping={mapping} onChange={change} />}
        <section aria-label="Preview" className="flex min-w-0 flex-col gap-4">
          <Outcome preview={preview} />
          {preview.lines.length > 0 && (
            <ParsedLines lines={preview.lines} sign={sign} stale={asking.isPending} />
          )}
          {preview.lines.length > 0 && source.line_count === 0 && (
            <RadioGroup
              legend="Positive amounts are"
              value={sign}
              options={[
                { value: "as_is", label: "Money in" },
                { value: "inverted", label: "Money out" },
              ]}
              onChange={setSign}
            >
              <p className="text-sm text-muted">
                Applies to all lines of this source. Can't be changed after the first import.
              </p>
            </RadioGroup>
          )}
          <BalanceCheck statements={preview.statements} currency={source.currency} />
          <ImportWarnings warnings={preview.warnings} />
          {preview.refusals.length > 0 && (
            <div className="flex flex-col gap-2">
              <h3 className="font-semibold">
                {preview.failure ? "Why it can't be read" : "Rejected rows"}
              </h3>
              <RejectedRows
                rows={preview.refusals}
                more={moreThan(preview.refusals, preview.refused_count)}
              />
            </div>
          )}
          {preview.skips.length > 0 && (
            <div className="flex flex-col gap-2">
              <h3 className="font-semibold">Skipped rows</h3>
              <SkippedRows
                rows={preview.skips}
                more={moreThan(preview.skips, preview.skipped_count)}
              />
            </div>
          )}
          {asking.error && (
            <div role="alert">
              <ProblemNote error={asking.error} />
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
            checked={keeps}
            onChange={({ target }) => setKeeps(target.checked)}
          />
        )}
        <div className="flex flex-wrap items-center gap-2">
          <Button type="submit" variant="primary" disabled={!isReadable || asking.isPending}>
            {uploadError ? "Try again" : label(preview)}
          </Button>
          <Button onClick={onReset}>Choose another file</Button>
          {!isReadable && !asking.isPending && (
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

type Question = ImportPreview["questions"][number];

function keyOf({ about, message }: Question): string {
  return `${about} ${message}`;
}

/** The counts of what was read, in a sentence. */
function Outcome({ preview }: { preview: ImportPreview }) {
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
