import type { ReactNode } from "react";
import { fieldName } from "#components/kit/field-labels.ts";
import { SEVERITIES } from "#lib/exceptions/contract.ts";
import { SEVERITY_LABELS, SeverityParts } from "./labels.tsx";

/** What the pages call a field, where that isn't its own name. */
const FIELD_LABELS: Record<string, string> = {
  assigned_to: "Assignee",
  due_at: "Due",
  paused_at: "Paused",
  closed_at: "Closed",
  calendar_id: "Calendar",
  reconciliation_id: "Reconciliation",
  reason_code: "Reason",
  amount_minor: "Money at risk",
};

export const fieldLabel = (field: string) => FIELD_LABELS[field] ?? fieldName(field);

type ChoiceField<Value extends string> = {
  values: readonly Value[];
  labels: Record<Value, string>;
  /** The value of a new exception. */
  initial: Value;
  /** Whether the board shows its column by default. */
  usual: boolean;
  /** A value with its icon, for use within an existing flex box. */
  Parts: (props: { value: Value }) => ReactNode;
};

const choiceField = <Value extends string>(field: ChoiceField<Value>) => field;

/**
 * The fields of a fixed set of values that a person chooses freely: the board's columns and
 * filters, the form of a new exception, its details and its history show each of them.
 */
const CHOICE_FIELDS = {
  severity: choiceField({
    values: SEVERITIES,
    labels: SEVERITY_LABELS,
    initial: "medium",
    usual: true,
    Parts: ({ value }) => <SeverityParts severity={value} />,
  }),
};

export type ChoiceName = keyof typeof CHOICE_FIELDS;
export const CHOICE_NAMES = Object.keys(CHOICE_FIELDS) as ChoiceName[];

/** A value for each of these fields. */
export type Choices = { [Name in ChoiceName]: (typeof CHOICE_FIELDS)[Name]["initial"] };

/** A field whose values are only known when the page runs. */
export const choiceFieldOf = (name: ChoiceName) =>
  CHOICE_FIELDS[name] as unknown as ChoiceField<string>;

export const INITIAL_CHOICES = Object.fromEntries(
  CHOICE_NAMES.map((name) => [name, CHOICE_FIELDS[name].initial]),
) as Choices;

export function ChoiceLabel({ name, value }: { name: ChoiceName; value: string }) {
  const { Parts } = choiceFieldOf(name);
  return (
    <span className="inline-flex items-center gap-1.5">
      <Parts value={value} />
    </span>
  );
}
