import type { Client } from "pg";
import type { Result } from "../../../engine/engine.ts";
import { cut } from "../../../engine/prepare/text.ts";
import { REASONS, type Reason } from "../../../engine/reasons.ts";
import { call, callForValue } from "./call.ts";
import { handlesOf } from "./changes.ts";
import type { ClaimedRun, Policy } from "./claimed-run.ts";
import { type ExceptionLine, type ExceptionSubject, titleOf } from "./exception-title.ts";

/**
 * An exception whose lines changed, with the exceptions that are merged into it. `line_no`: the
 * line that it was opened for.
 */
type Regrouped = ExceptionSubject & {
  exception_id: string;
  merged: string[];
  line_no: number;
  severity: string;
  amount_minor: number | null;
};

/** The maximum number of lines in the details; the suggestion has all lines. */
const MAX_LISTED_LINES = 20;
const REFERENCE_MAX_LENGTH = 100;

/**
 * Opens an exception for each line that is open past its source's grace period and has none, or one
 * for all lines of a suggestion, up to the policy's cap. Before that, open exceptions are merged
 * and split to follow added and removed suggestions.
 */
export async function openLineExceptions(
  client: Client,
  run: ClaimedRun,
  reasonsOf: ReasonsOf,
): Promise<{ opened: number; heldBack: number }> {
  const { exceptions } = run.policy;
  const period = { tenant: run.tenantId, reconciliation: run.reconciliationId };
  const attempt = { ...period, run: run.runId, attempt: run.attempt };
  const regrouped = await callForValue<Regrouped[]>(client, "exceptions_to_regroup", period);
  if (regrouped.length > 0) {
    const reasons = reasonsOf(linesIn(regrouped));
    await call(client, "regroup_exceptions", {
      ...attempt,
      rows: JSON.stringify(
        regrouped.map((exception) => ({
          ...exception,
          ...regroupedFields(exception, exceptions, reasons),
        })),
      ),
    });
  }
  const [past] = await call<{ lines: ExceptionSubject[]; held_back: string }>(
    client,
    "lines_past_grace",
    {
      ...period,
      most: exceptions.most_a_run,
    },
  );
  const { lines: subjects = [], held_back = "0" } = past ?? {};
  const reasons = reasonsOf(linesIn(subjects));
  const rows = subjects.flatMap((subject) => {
    const mainLine = subject.lines.find(({ is_free }) => is_free);
    if (!mainLine) return [];
    const fields = fieldsOf(subject, mainLine, reasons);
    return [
      {
        ...fields,
        severity: severityOf(fields.amount_minor ?? 0, exceptions),
        assigned_to: exceptions.assigned_to,
      },
    ];
  });
  const opened =
    rows.length === 0
      ? 0
      : await callForValue<number>(client, "open_line_exceptions", {
          ...attempt,
          rows: JSON.stringify(rows),
        });
  await call(client, "link_exceptions_to_suggestions", attempt);
  return { opened, heldBack: Number(held_back) };
}

/**
 * The new fields of an open exception. A severity that doesn't follow from its amount was set by a
 * person, and stays.
 */
function regroupedFields(
  exception: Regrouped,
  policy: Policy["exceptions"],
  reasons: Map<number, Reason>,
) {
  const mainLine =
    exception.lines.find(({ line_no }) => line_no === exception.line_no) ??
    (exception.lines[0] as ExceptionLine);
  const fields = fieldsOf(exception, mainLine, reasons);
  const isByPolicy = exception.severity === severityOf(exception.amount_minor ?? 0, policy);
  return {
    ...fields,
    severity: isByPolicy ? severityOf(fields.amount_minor ?? 0, policy) : exception.severity,
  };
}

/**
 * The amount at risk is the lines' difference: the whole amount of a single line, and none if a
 * suggestion's lines agree.
 */
function fieldsOf(
  subject: ExceptionSubject,
  mainLine: ExceptionLine,
  reasons: Map<number, Reason>,
) {
  const { match_id, currency, difference_minor, is_late, lines } = subject;
  const differs = match_id !== null && difference_minor !== 0;
  const reason = is_late
    ? "late_arrival"
    : differs
      ? "amount_differs"
      : (reasons.get(mainLine.line_no) ?? PARTLY_MATCHED);
  return {
    match_id,
    line_nos: [
      mainLine.line_no,
      ...lines.flatMap(({ line_no }) => (line_no === mainLine.line_no ? [] : [line_no])),
    ],
    title: titleOf(reason, subject),
    reason_code: reason,
    ...(match_id !== null && !differs
      ? { amount_minor: null, currency: null }
      : { amount_minor: Math.abs(difference_minor), currency }),
    details:
      match_id === null
        ? { side: mainLine.side }
        : {
            lines: lines.slice(0, MAX_LISTED_LINES).map(({ id, side, open_minor, reference }) => ({
              line_id: id,
              side,
              open_minor,
              reference: reference === null ? null : cut(reference, REFERENCE_MAX_LENGTH),
            })),
          },
  };
}

function severityOf(amount: number, { severities }: Policy["exceptions"]): string {
  return severities.findLast(({ from_minor }) => amount >= from_minor)?.severity ?? "low";
}

function linesIn(subjects: readonly ExceptionSubject[]): Set<number> {
  return new Set(subjects.flatMap(({ lines }) => lines.map(({ line_no }) => line_no)));
}

/** Why each of these lines is open, by its number. A line that is partly matched has no reason. */
type ReasonsOf = (lines: ReadonlySet<number>) => Map<number, Reason>;

export function reasonsIn(result: Result): ReasonsOf {
  return (lines) => {
    const found = new Map<number, Reason>();
    forEachReason(result, (line, reason) => {
      if (lines.has(line)) found.set(line, reason);
    });
    return found;
  };
}

const PARTLY_MATCHED: Reason = "amount_differs";
/** The usual reason of open lines is that they lack a counterpart. */
const USUAL_REASON: Reason = "missing_counterpart";

/** The reasons of lines for which a later run may open exceptions, without the usual reason. */
export function unusualReasons(result: Result): Record<number, Reason> {
  const reasons: Record<number, Reason> = {};
  forEachReason(result, (line, reason) => {
    if (reason !== USUAL_REASON) reasons[line] = reason;
  });
  const { confirmed } = result;
  for (const index of confirmed.partial.keys())
    for (const line of handlesOf(result, confirmed, index)) reasons[line] = PARTLY_MATCHED;
  return reasons;
}

export function storedReasons(reasons: Readonly<Record<number, Reason>>): ReasonsOf {
  return (lines) => new Map(Array.from(lines, (line) => [line, reasons[line] ?? USUAL_REASON]));
}

function forEachReason(
  { open, input }: Result,
  visit: (line: number, reason: Reason) => void,
): void {
  for (const side of ["left", "right"] as const) {
    const { line, reason } = open[side];
    for (let at = 0; at < line.length; at++) {
      const handle = input[side].handle[line[at] as number] as number;
      visit(handle, REASONS[reason[at] as number] as Reason);
    }
  }
}
