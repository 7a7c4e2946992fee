import { personName } from "#components/people/person.tsx";
import type { BoardPeriod } from "#lib/matching/closing-board/contract.ts";

/** "Prepared ada, reviewed ben and eva, closed ben": who signed a period; null before anyone did. */
export function signersText({
  prepared_by,
  reviewed_by,
  closed_by,
}: Pick<BoardPeriod, "prepared_by" | "reviewed_by" | "closed_by">): string | null {
  const steps = [
    prepared_by && `prepared ${personName(prepared_by)}`,
    reviewed_by.length > 0 && `reviewed ${reviewed_by.map(personName).join(" and ")}`,
    closed_by && `closed ${personName(closed_by)}`,
  ].filter(Boolean);
  const text = steps.join(", ");
  return text === "" ? null : text.charAt(0).toUpperCase() + text.slice(1);
}
