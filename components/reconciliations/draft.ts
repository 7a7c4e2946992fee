import type { z } from "zod";
import type { Problems } from "#components/kit/problems.ts";
import type {
  createReconciliationContract,
  Reconciliation,
} from "#lib/reconciliations/contract.ts";
import { periodOf } from "#lib/wire/period-name.ts";

type Fields =
  | "name"
  | "period_start"
  | "period_end"
  | "left_source"
  | "right_source"
  | "matched_count"
  | "unmatched_count";
type Created = z.input<NonNullable<typeof createReconciliationContract.body>>;

export type ReconciliationInput = Pick<Created, Fields>;

/** The fields of a reconciliation's form, with counts as text. */
export type Draft = Record<Fields, string>;

/**
 * A new one also says whether the service matches the lines of two sources, which it then names, or
 * the counts are reported.
 */
export type NewDraft = Draft & {
  matched_by: "here" | "elsewhere";
  left_source_id: string;
  right_source_id: string;
  auto_run: boolean;
};

const EMPTY_DRAFT: NewDraft = {
  matched_by: "here",
  left_source_id: "",
  right_source_id: "",
  auto_run: true,
  name: "",
  period_start: "",
  period_end: "",
  left_source: "",
  right_source: "",
  matched_count: "0",
  unmatched_count: "0",
};

const MONTH = new Intl.DateTimeFormat("en-GB", {
  month: "long",
  year: "numeric",
  timeZone: "UTC",
});

/** A new reconciliation of this month. */
export function newDraft(now: number): NewDraft {
  const today = new Date(now);
  const [year, month] = [today.getUTCFullYear(), today.getUTCMonth()];
  const dayOf = (day: number, of: number) =>
    new Date(Date.UTC(year, of, day)).toISOString().slice(0, 10);
  const draft = { ...EMPTY_DRAFT, period_start: dayOf(1, month), period_end: dayOf(0, month + 1) };
  return { ...draft, name: proposedName(draft, "") };
}

/** "Commerzbank, November 2026": the left source and the month, or the days of another period. */
export function proposedName(
  { period_start, period_end }: Pick<Draft, "period_start" | "period_end">,
  source: string,
): string {
  if (period_start === "" || period_end === "") return source;
  const start = new Date(`${period_start}T00:00:00Z`);
  const monthEnd = new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1, 0));
  const isMonth = period_start.endsWith("-01") && monthEnd.toISOString().startsWith(period_end);
  const period = isMonth ? MONTH.format(start) : periodOf({ period_start, period_end });
  return source === "" ? period : `${source}, ${period}`;
}

export function draftOf({
  name,
  period_start,
  period_end,
  left_source,
  right_source,
  matched_count,
  unmatched_count,
}: Reconciliation): Draft {
  return {
    name,
    period_start,
    period_end,
    left_source,
    right_source,
    matched_count: String(matched_count),
    unmatched_count: String(unmatched_count),
  };
}

/** `counted`: with sources, the counts are computed and cannot be set. */
export function inputOf(
  { matched_count, unmatched_count, ...texts }: Draft,
  counted: boolean,
): ReconciliationInput {
  return counted
    ? texts
    : { ...texts, matched_count: Number(matched_count), unmatched_count: Number(unmatched_count) };
}

/** The body that creates it. */
export function newInputOf({
  matched_by,
  left_source_id,
  right_source_id,
  auto_run,
  ...draft
}: NewDraft): Created {
  if (matched_by === "elsewhere") return inputOf(draft, false);
  const { name, period_start, period_end } = draft;
  return { name, period_start, period_end, left_source_id, right_source_id, auto_run };
}

const COUNT = "Enter a whole number.";

/** Checks before anything is sent; the server does the rest. */
export function missingIn(draft: Draft): Problems {
  return {
    ...(draft.name.trim() === "" && { name: "Enter a name." }),
    ...(draft.period_start === "" && { period_start: "Choose the first day." }),
    ...(draft.period_end === "" && { period_end: "Choose the last day." }),
    ...(draft.left_source.trim() === "" && { left_source: "Enter a source." }),
    ...(draft.right_source.trim() === "" && { right_source: "Enter a source." }),
    ...(!/^\d+$/.test(draft.matched_count) && { matched_count: COUNT }),
    ...(!/^\d+$/.test(draft.unmatched_count) && { unmatched_count: COUNT }),
  };
}

/** The same checks for a new one. */
export function missingInNew({
  matched_by,
  left_source_id,
  right_source_id,
  ...draft
}: NewDraft): Problems {
  if (matched_by === "elsewhere") return missingIn(draft);
  const { name, period_start, period_end } = missingIn(draft);
  return {
    ...(name && { name }),
    ...(period_start && { period_start }),
    ...(period_end && { period_end }),
    ...(left_source_id === "" && { left_source_id: "Choose a source." }),
    ...(right_source_id === "" && { right_source_id: "Choose a source." }),
    ...(left_source_id !== "" &&
      left_source_id === right_source_id && {
        right_source_id: "Choose another source than the left one.",
      }),
  };
}
