"use client";

import { Fragment } from "react";
import { formatDay } from "#components/ui/moment.ts";
import { Note } from "#components/ui/note.tsx";
import { RadioGroup } from "#components/ui/radio-group.tsx";
import type { ImportPreview } from "#lib/imports/contract.ts";
import { answerLabel } from "./answer-labels.ts";

type Question = ImportPreview["questions"][number];

/**
 * A question that the file leaves open, with the rows as each answer reads them. `answer`: the
 * chosen value, empty for none yet.
 */
export function QuestionNote({
  question: { about, message, choices },
  answer,
  onAnswer,
}: {
  question: Question;
  answer: string;
  onAnswer: (value: string) => void;
}) {
  const named = choices.map(({ value, reads_as }, at) => {
    const reads = about === "date_format" && reads_as ? formatDay(reads_as, "UTC") : reads_as;
    return { value, name: answerLabel(about, value, at), rows: reads?.split("; ") ?? [] };
  });
  // A single value fits next to its answer; rows are shown below it.
  const isShort = named.every(({ rows }) => rows.length <= 1 && (rows[0]?.length ?? 0) <= 30);
  return (
    <Note tone="warning">
      <RadioGroup
        legend={message}
        value={answer}
        options={named.map(({ value, name, rows }) => ({
          value,
          label: isShort && rows[0] ? `${name} → ${rows[0]}` : name,
        }))}
        onChange={onAnswer}
      >
        {!isShort && (
          <dl className="grid gap-x-4 gap-y-1 @md:grid-cols-[auto_minmax(0,1fr)]">
            {named.map(({ value, name, rows }) => (
              <Fragment key={value}>
                <dt className="font-medium">{name}</dt>
                <dd className="tabular-nums wrap-anywhere">
                  {rows.map((row) => (
                    <span key={row} className="block">
                      {row}
                    </span>
                  ))}
                </dd>
              </Fragment>
            ))}
          </dl>
        )}
      </RadioGroup>
    </Note>
  );
}
