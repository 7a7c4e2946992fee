import type { Client } from "pg";
import { decimalsOf } from "#lib/wire/currencies.ts";
import type { Result } from "../engine/engine.ts";
import { REASONS, type Reason } from "../engine/reasons.ts";
import type { RunToDo } from "./run-to-do.ts";

type OverdueLine = {
  line_no: number;
  side: "left" | "right";
  open_minor: number;
  currency: string;
  value_date: string;
  /** The source's. */
  name: string;
  is_late: boolean;
};

/** What a title says of each reason. */
const TITLES: Record<Reason | "late_arrival", string> = {
  missing_counterpart: "No counterpart",
  amount_differs: "Amount differs",
  outside_window: "Counterpart outside the window",
  duplicate: "Booked twice",
  group_incomplete: "Group incomplete",
  currency_differs: "Currency differs",
  ambiguous: "Counterpart not certain",
  late_arrival: "Arrived after the period was closed",
};

/** Opens an exception for each line that is open past its source's grace and has none, up to the policy's cap. */
export async function openLineExceptions(client: Client, run: RunToDo, result: Result): Promise<{ opened: number; heldBack: number }> {
  const { exceptions } = run.policy;
  const { rows } = await client.query<{ lines: OverdueLine[]; held_back: string }>("select * from private.lines_past_grace($1, $2, $3)", [
    run.tenantId,
    run.reconciliationId,
    exceptions.most_a_run,
  ]);
  const { lines = [], held_back = "0" } = rows[0] ?? {};
  const reasons = reasonsOf(result, lines);
  const wanted = lines.map((line) => {
    const reason = line.is_late ? "late_arrival" : (reasons.get(line.line_no) ?? "amount_differs");
    const amount = Math.abs(line.open_minor);
    return {
      line_no: line.line_no,
      title: `${TITLES[reason]}: ${decimal(line.open_minor, line.currency)} ${line.currency} of ${line.value_date}, ${line.name}`.slice(
        0,
        200,
      ),
      severity: exceptions.severities.findLast(({ from_minor }) => amount >= from_minor)?.severity ?? "low",
      assigned_to: exceptions.assigned_to,
      reason_code: reason,
      amount_minor: amount,
      currency: line.currency,
      details: { side: line.side },
    };
  });
  const opened =
    wanted.length === 0
      ? 0
      : await client
          .query<{ opened: number }>("select private.open_line_exceptions($1, $2, $3, $4, $5) as opened", [
            run.tenantId,
            run.reconciliationId,
            run.runId,
            run.attempt,
            JSON.stringify(wanted),
          ])
          .then(({ rows: [row] }) => row?.opened ?? 0);
  await client.query("select private.point_exceptions_at_suggestions($1, $2, $3, $4)", [
    run.tenantId,
    run.reconciliationId,
    run.runId,
    run.attempt,
  ]);
  return { opened, heldBack: Number(held_back) };
}

/** Why each of these lines is open, by its number; none of what is left of a line that is partly matched. */
function reasonsOf({ open, input }: Result, asked: readonly OverdueLine[]): Map<number, Reason> {
  const wanted = new Set(asked.map(({ line_no }) => line_no));
  const found = new Map<number, Reason>();
  for (const side of ["left", "right"] as const) {
    const { line, reason } = open[side];
    for (let at = 0; at < line.length; at++) {
      const handle = input[side].handle[line[at] as number] as number;
      if (wanted.has(handle)) found.set(handle, REASONS[reason[at] as number] as Reason);
    }
  }
  return found;
}

function decimal(minor: number, currency: string): string {
  const digits = decimalsOf(currency) ?? 2;
  const text = String(Math.abs(minor)).padStart(digits + 1, "0");
  const whole = text.slice(0, text.length - digits);
  return `${minor < 0 ? "-" : ""}${whole}${digits > 0 ? `.${text.slice(-digits)}` : ""}`;
}
