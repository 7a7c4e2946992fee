import type { PlainLine } from "../../engine/evidence/fields.ts";
import { explainLines } from "../../engine/explain.ts";
import type { Match, MatchExplanation } from "./contract.ts";

/**
 * A match as the database returns it. Without a stored explanation it has the lines from which the
 * explanation follows.
 */
export type StoredMatch = Omit<Match, "explanation"> & {
  explanation: MatchExplanation | null;
  plain: (PlainLine & { side: "left" | "right" })[] | null;
};

/**
 * Explains a manual match, and a match that agrees in everything that its rule requires, by its
 * lines.
 */
export function explained({ explanation, plain, ...match }: StoredMatch): Match {
  return { ...match, explanation: explanation ?? explanationOf(match, plain ?? []) };
}

function explanationOf(
  { method }: { method: string },
  plain: NonNullable<StoredMatch["plain"]>,
): MatchExplanation {
  const linesOf = (side: "left" | "right") => plain.filter((line) => line.side === side);
  const { rule, fields } = explainLines(
    { name: method, kind: "exact", then: "match" },
    linesOf("left"),
    linesOf("right"),
  );
  const basis = method === "manual" ? "manual" : "unique";
  return {
    rule,
    basis,
    fields,
    tolerance: null,
    runner_up: null,
    margin: null,
    held: null,
    note: null,
  };
}
