"use client";

import { Note } from "#components/ui/note.tsx";
import { RadioGroup } from "#components/ui/radio-group.tsx";
import type { ImportPreview } from "#lib/imports/contract.ts";

type Question = ImportPreview["questions"][number];

const DECIMALS: Record<string, string> = { ",": "Comma", ".": "Point" };

/** What the file doesn't say and nobody guesses. `answer`: what was chosen, empty for nothing yet. */
export function QuestionNote({
  question: { about, message, choices },
  answer,
  onAnswer,
}: {
  question: Question;
  answer: string;
  onAnswer: (value: string) => void;
}) {
  const named = (value: string) => (about === "decimal_separator" ? (DECIMALS[value] ?? value) : value);
  return (
    <Note tone="warning">
      <RadioGroup
        legend={message}
        value={answer}
        options={choices.map(({ value, reads_as }) => ({ value, label: reads_as ? `${named(value)} → ${reads_as}` : named(value) }))}
        onChange={onAnswer}
      />
    </Note>
  );
}
