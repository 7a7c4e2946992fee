import type { BoardDisplay, Density } from "#components/preferences/preferences.ts";
import { CHOICE_NAMES, type ChoiceName, choiceFieldOf, fieldLabel } from "../fields.tsx";

/** The optional columns of the wide board. `usual` says whether it is shown by default. */
const CHOICES: { id: Column; name: string; usual: boolean }[] = [
  { id: "due", name: fieldLabel("due_at"), usual: true },
  { id: "reason", name: fieldLabel("reason_code"), usual: false },
  { id: "money", name: fieldLabel("amount_minor"), usual: true },
  ...CHOICE_NAMES.map((id) => ({ id, name: fieldLabel(id), usual: choiceFieldOf(id).usual })),
  { id: "assignee", name: fieldLabel("assigned_to"), usual: true },
  { id: "status", name: fieldLabel("status"), usual: true },
];

type FixedColumn = "due" | "reason" | "money" | "assignee" | "status";
export type Column = FixedColumn | ChoiceName;
export const COLUMN_CHOICES = CHOICES.map(({ id, name }) => ({ value: id, label: name }));

/** The chosen columns. */
export function columnsOf({ columns }: BoardDisplay): ReadonlySet<Column> {
  return new Set(
    CHOICES.filter(({ id, usual }) => (columns === null ? usual : columns.includes(id))).map(
      ({ id }) => id,
    ),
  );
}

/**
 * A row of the board. Each column has a fixed width, so that chosen columns line up; the title gets
 * the rest. Next to an open panel, icons replace the text.
 */
export const ROW = "@xl:flex @xl:flex-nowrap @xl:gap-x-3";
const ICON = "@xl:shrink-0 @xl:@max-4xl:overflow-hidden @xl:@max-4xl:whitespace-nowrap";
export const WIDTHS: Record<FixedColumn | "box" | "risk" | "time" | "title" | "choice", string> = {
  box: "@xl:w-6 @xl:shrink-0",
  risk: `@xl:w-3.5 @4xl:w-23 ${ICON}`,
  time: "@xl:w-28 @xl:shrink-0 @4xl:w-30",
  due: "@4xl:w-26 @4xl:shrink-0",
  reason: "@4xl:w-32 @4xl:shrink-0",
  title: "@xl:min-w-24 @xl:flex-1 @4xl:min-w-36",
  money: "@xl:w-26 @xl:shrink-0 @4xl:w-29",
  choice: `@xl:w-3.5 @4xl:w-22 ${ICON}`,
  assignee: `@xl:w-5 @4xl:w-26 ${ICON}`,
  status: `@xl:w-3.5 @4xl:w-24 ${ICON}`,
};

export const ROW_PX: Record<Density, number> = { comfortable: 44, compact: 32 };
/** The height of a heading. */
export const GROUP_PX = 36;
