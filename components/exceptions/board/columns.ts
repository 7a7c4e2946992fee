import type { BoardLook, Density } from "#components/preferences/preferences.ts";

/** The optional columns of the wide board. `usual` says whether it is shown by default. */
const CHOICES = [
  { id: "due", name: "Due", usual: true },
  { id: "reason", name: "Reason", usual: false },
  { id: "money", name: "Money at risk", usual: true },
  { id: "severity", name: "Severity", usual: true },
  { id: "assignee", name: "Assignee", usual: true },
  { id: "status", name: "Status", usual: true },
] as const;

export type Column = (typeof CHOICES)[number]["id"];
export const COLUMN_CHOICES = CHOICES.map(({ id, name }) => ({ value: id, label: name }));

/** The chosen columns. */
export function columnsOf({ columns }: BoardLook): ReadonlySet<Column> {
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
export const WIDTHS: Record<Column | "box" | "risk" | "time" | "title", string> = {
  box: "@xl:w-6 @xl:shrink-0",
  risk: `@xl:w-3.5 @4xl:w-23 ${ICON}`,
  time: "@xl:w-28 @xl:shrink-0 @4xl:w-30",
  due: "@4xl:w-26 @4xl:shrink-0",
  reason: "@4xl:w-32 @4xl:shrink-0",
  title: "@xl:min-w-24 @xl:flex-1 @4xl:min-w-36",
  money: "@xl:w-26 @xl:shrink-0 @4xl:w-29",
  severity: `@xl:w-3.5 @4xl:w-22 ${ICON}`,
  assignee: `@xl:w-5 @4xl:w-26 ${ICON}`,
  status: `@xl:w-3.5 @4xl:w-24 ${ICON}`,
};

export const ROW_PX: Record<Density, number> = { comfortable: 44, compact: 32 };
/** The height of a heading. */
export const GROUP_PX = 36;
