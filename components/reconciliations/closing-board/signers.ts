import { personName } from "#components/people/person.tsx";
import type { BoardPeriod } from "#lib/matching/closing-board/contract.ts";

type Signed = Pick<BoardPeriod, "state" | "prepared_by" | "reviewed_by" | "closed_by">;
type Step = { state: BoardPeriod["state"]; people: string[] };

/**
 * "Prepared by ada, reviewed by ben and eva, closed by ben": who signed a period, next to its state.
 * A single signature that the state already names is "by ada". Null before anyone signed.
 */
export function signersText({ state, prepared_by, reviewed_by, closed_by }: Signed): string | null {
  const steps: Step[] = [
    { state: "prepared" as const, people: prepared_by === null ? [] : [prepared_by] },
    { state: "reviewed" as const, people: reviewed_by },
    { state: "closed" as const, people: closed_by === null ? [] : [closed_by] },
  ].filter(({ people }) => people.length > 0);
  const [only] = steps;
  if (!only) return null;
  if (steps.length === 1 && only.state === state) return byWhom(only);
  const text = steps.map((step) => `${step.state} ${byWhom(step)}`).join(", ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function byWhom({ people }: Step): string {
  return `by ${people.map(personName).join(" and ")}`;
}
