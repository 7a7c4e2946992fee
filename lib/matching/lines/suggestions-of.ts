import { combinationHashOf } from "../../../engine/content-hash.ts";
import type { Line } from "../../../engine/lines.ts";
import { businessDaysOf, mondayToFriday, type OpenDays } from "../../../engine/prepare/days.ts";
import { DEFAULT_RULES, type Rule } from "../../../engine/rules.ts";
import { suggestFor } from "../../../engine/suggest-for.ts";
import type { Weights } from "../../../engine/weights.ts";
import type { LineSuggestion } from "./contract.ts";

type Candidate = Line & { id: string };
export type SuggestionQuery = {
  reconciliation_id: string;
  side: "left" | "right";
  line: Candidate | null;
  candidates: Candidate[];
  rules: Rule[] | null;
  weights: Weights | null;
  open_days: OpenDays | null;
  rejected: { left: string[]; right: string[] }[];
};

/**
 * Counterparts of a line among its candidates. Takes hundreds of milliseconds if many candidates
 * have long texts.
 */
export function suggestionsOf(query: SuggestionQuery): LineSuggestion[] {
  const { line, side, candidates } = query;
  if (!line) return [];
  const idOf = new Map([line, ...candidates].map((candidate) => [candidate.handle, candidate.id]));
  const amountOf = new Map(
    candidates.map((candidate) => [candidate.handle, candidate.amount_minor]),
  );
  const found = suggestFor({
    line: withIdentity(line),
    side,
    candidates: candidates.map(withIdentity),
    rules: query.rules ?? DEFAULT_RULES,
    weights: query.weights,
    businessDays: query.open_days ? businessDaysOf(query.open_days) : mondayToFriday,
    rejected: new Set(
      query.rejected.map(({ left, right }) =>
        combinationHashOf(left.map(identityOf), right.map(identityOf)),
      ),
    ),
  });
  return found.map(({ handles, rule, score, explanation: { runner_up, ...explanation } }) => {
    const others = handles.reduce((total, handle) => total + (amountOf.get(handle) ?? 0), 0);
    return {
      line_ids: handles.map((handle) => idOf.get(handle) as string),
      reconciliation_id: query.reconciliation_id,
      method: rule,
      score,
      difference_minor: side === "left" ? line.amount_minor - others : others - line.amount_minor,
      explanation: {
        ...explanation,
        runner_up: runner_up && {
          side: runner_up.side,
          line_id: idOf.get(runner_up.handle) as string,
        },
      },
    };
  });
}

function withIdentity(candidate: Candidate): Candidate {
  return { ...candidate, identity: identityOf(candidate.id) };
}

/** The identity of a line in a run: the 16 bytes of its ID. */
function identityOf(id: string): Uint8Array {
  return Buffer.from(id.slice("lin_".length), "hex");
}
