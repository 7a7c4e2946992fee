"use client";

import { formatDay } from "#components/ui/moment.ts";
import { Note } from "#components/ui/note.tsx";
import { RadioGroup } from "#components/ui/radio-group.tsx";
import type { ImportPreview } from "#lib/imports/contract.ts";

type Question = ImportPreview["questions"][number];

const DECIMALS: Record<string, string> = { ",": "Comma", ".": "Point" };

/** A question that the file leaves open. `answer`: what was chosen, empty for nothing yet. */
export function QuestionNote({
  question: { about, message, choices },
  answer,
  onAnswer,
}: {
  question: Question;
  answer: string;
  onAnswer: (value: string) => void;
}) {
  const named = (value: string) =>
    about === "decimal_separator" ? (DECIMALS[value] ?? value) : value;
  const read = (text: string) => (about === "date_format" ? formatDay(text, "UTC") : text);
  return (
    <Note tone="warning">
      <RadioGroup
        legend={message}
        value={answer}
        options={choices.map(({ value, reads_as }) => ({
          value,
          label: reads_as ? `${named(value)} → ${read(reads_as)}` : named(value),
        }))}
        onChange={onAnswer}
      />
    </Note>
  );
}
