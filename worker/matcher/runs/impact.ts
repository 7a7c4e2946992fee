import type { Result } from "../../../engine/engine.ts";
import { allocatedOf, type Changes, handlesOf } from "./changes.ts";
import type { RunInput } from "./read-run.ts";

const SAMPLES = 20;

type Change = "newly_matched" | "no_longer_matched" | "changed";
type ChangedMatch = {
  change: Change;
  rule: string;
  currency: string;
  amount_minor: number;
  lines: readonly number[];
};

/**
 * The changes that a dry run would make to the confirmed matches, with samples, the largest amounts
 * first. `newly`: the numbers of lines that would be matched and aren't now; `no_longer`: of lines
 * that are matched now and would not be.
 */
export function impactOf(
  result: Result,
  { created, removed }: Changes,
  { present, ids }: RunInput,
) {
  const changedMatches: ChangedMatch[] = [];
  const removedByLines = new Map(
    removed
      .filter(({ state }) => state === "confirmed")
      .map((match) => [keyOf(match.lines), match]),
  );
  const presentById = new Map(present.map((match) => [match.id, match]));
  for (const match of created) {
    if (match.state !== "confirmed") continue;
    const { confirmed, input } = result;
    const lines = handlesOf(result, confirmed, match.index);
    const earlier = match.replaces
      ? presentById.get(match.replaces)
      : removedByLines.get(keyOf(lines));
    if (earlier) removedByLines.delete(keyOf(earlier.lines));
    const rule = input.rules[confirmed.rule[match.index] as number]?.name ?? "";
    if (earlier && earlier.method === rule && match.replaces) continue;
    const [first] = confirmed.left(match.index);
    const currency =
      first === undefined
        ? input.right.currencyOf(confirmed.right(match.index)[0] as number)
        : input.left.currencyOf(first);
    const amount = allocatedOf(result, match).reduce(
      (max, minor) => Math.max(max, Math.abs(minor)),
      0,
    );
    changedMatches.push({
      change: earlier ? "changed" : "newly_matched",
      rule,
      currency,
      amount_minor: amount,
      lines,
    });
  }
  for (const { method, currency, amount_minor, lines } of removedByLines.values())
    changedMatches.push({
      change: "no_longer_matched",
      rule: method,
      currency,
      amount_minor: Math.abs(amount_minor),
      lines,
    });
  const linesOf = (change: Change) =>
    new Set(changedMatches.flatMap((match) => (match.change === change ? match.lines : [])));
  const [newly, no_longer, changed] = [
    linesOf("newly_matched"),
    linesOf("no_longer_matched"),
    linesOf("changed"),
  ];
  const summaryOf = (change: Change) =>
    summarize(changedMatches.filter((one) => one.change === change));
  const samples = changedMatches
    .sort(
      (one, other) =>
        other.amount_minor - one.amount_minor ||
        (one.lines[0] as number) - (other.lines[0] as number),
    )
    .slice(0, SAMPLES)
    .map(({ lines, ...sample }) => ({
      ...sample,
      line_ids: lines.map((line) => `lin_${ids?.get(line)}`),
    }));
  return {
    newly_matched: summaryOf("newly_matched"),
    no_longer_matched: summaryOf("no_longer_matched"),
    changed: summaryOf("changed"),
    samples,
    newly: [...newly].filter((line) => !no_longer.has(line)),
    no_longer: [...no_longer].filter((line) => !newly.has(line) && !changed.has(line)),
  };
}

function summarize(changedMatches: readonly ChangedMatch[]) {
  const amounts = new Map<string, bigint>();
  for (const { currency, amount_minor } of changedMatches)
    amounts.set(currency, (amounts.get(currency) ?? 0n) + BigInt(amount_minor));
  return {
    matches: changedMatches.length,
    amounts: [...amounts]
      .sort()
      .map(([currency, minor]) => ({ currency, amount_minor: exactSum(minor) })),
  };
}

function keyOf(lines: readonly number[]): string {
  return [...lines].sort((one, other) => one - other).join(" ");
}

/** A sum as in the API: a number if JSON holds it exactly, otherwise text. */
export function exactSum(sum: bigint): number | string {
  const number = Number(sum);
  return Number.isSafeInteger(number) ? number : String(sum);
}
