"use client";

import { useEffect, useState } from "react";
import type { ImportPreview } from "#lib/imports/contract.ts";
import { FORMAT_TRAITS, type Mapping } from "#lib/imports/formats/mapping.ts";
import {
  type AmountStyle,
  amountStyleOf,
  missingColumns,
  NO_FIELDS,
  sameMapping,
  withAnswer,
} from "./draft.ts";
import { isColumns, type PreviewState } from "./use-preview.ts";

type Question = ImportPreview["questions"][number];

/** The mapping of a previewed file and the answers to its questions, as changed by the user. */
export function useChoices(preview: ImportPreview, previewState: PreviewState) {
  /**
   * The user's changes to this preview's mapping. The next preview includes them and their
   * consequences.
   */
  const [edited, setEdited] = useState<{ mapping: Mapping; of: ImportPreview } | null>(null);
  const [chosenStyle, setStyle] = useState<AmountStyle | null>(null);
  const [answers, setAnswers] = useState<Readonly<Record<string, string>>>({});
  // An answered question stays visible, so that its answer can be changed.
  const [askedQuestions, setAskedQuestions] = useState(preview.questions);
  const more = preview.questions.filter((question) =>
    askedQuestions.every((known) => keyOf(known) !== keyOf(question)),
  );
  if (more.length > 0 && !previewState.isPending) setAskedQuestions([...askedQuestions, ...more]);

  const isJson = FORMAT_TRAITS[preview.format].fields === "paths";
  const changed = edited?.of === preview ? edited.mapping : null;
  const mapping = changed ?? preview.mapping ?? (isJson ? NO_FIELDS : null);
  const columns = isColumns(preview) ? preview.columns : null;
  const style = chosenStyle ?? (mapping ? amountStyleOf(mapping) : "signed");
  const missing = columns && mapping ? missingColumns(mapping, style) : [];
  const isMapped = columns !== null || (isJson && !sameMapping(mapping, NO_FIELDS));

  function change(next: Mapping) {
    setEdited({ mapping: next, of: preview });
    if (isJson || missingColumns(next, style).length === 0 || preview.questions.length > 0)
      previewState.askWith(next);
  }

  /** With another answer, later questions may not arise. */
  function answer(at: number, question: Question, value: string) {
    const earlier = askedQuestions.slice(0, at + 1);
    setAskedQuestions(earlier);
    setAnswers({
      ...Object.fromEntries(earlier.map((item) => [keyOf(item), answers[keyOf(item)] ?? ""])),
      [keyOf(question)]: value,
    });
    if (mapping) change(withAnswer(mapping, question.about, value));
  }

  // A question with a single answer isn't asked.
  const onlyAnswer = askedQuestions.findIndex(
    (question) => question.choices.length === 1 && !(keyOf(question) in answers),
  );
  useEffect(() => {
    const question = askedQuestions[onlyAnswer];
    const [choice] = question?.choices ?? [];
    if (question && choice && mapping) answer(onlyAnswer, question, choice.value);
  });

  return {
    mapping,
    columns,
    style,
    missing,
    isJson,
    isMapped,
    asked: askedQuestions,
    answers,
    setStyle,
    change,
    answer,
  };
}

export function keyOf({ about, message }: Question): string {
  return `${about} ${message}`;
}
