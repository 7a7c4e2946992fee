import type { z } from "zod";
import type { putSlaPolicyContract } from "#lib/exceptions/sla/contract.ts";
import { formatSpan } from "./span.ts";

type Pauses = z.input<NonNullable<typeof putSlaPolicyContract.body>>["pause"];

/** "Up to 7 days, 3 per exception; by waiting_for_bank". */
export function describePauses(pauses: Pauses): string {
  if (!pauses) return "Unchanged";
  const { max_minutes, max_count, rules } = pauses;
  const limits = [
    max_minutes === null ? "Any length" : `Up to ${formatSpan(max_minutes)}`,
    max_count === null ? "any number" : `${max_count} per exception`,
  ].join(", ");
  const by = rules.map(({ status, reason_code }) =>
    [status && "in review", reason_code].filter(Boolean).join(" and "),
  );
  return by.length === 0 ? limits : `${limits}; by ${by.join(", ")}`;
}
