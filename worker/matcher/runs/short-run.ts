/**
 * A short run: the leading exact rules decide new lines among those of the same amounts, without
 * reading the rest of the pair. Undecided lines are left to the full run.
 */
import type { Client } from "pg";
import { match, type Result } from "../../../engine/engine.ts";
import { leadingExactRules } from "../../../engine/passes.ts";
import type { BusinessDays } from "../../../engine/prepare/days.ts";
import { callForValue } from "./call.ts";
import { type Changes, changesOf, handlesOf, type NewMatch } from "./changes.ts";
import type { ClaimedRun, LastRun } from "./claimed-run.ts";
import { exactSum } from "./impact.ts";
import { type EarlierMatch, readShortRun, type ShortRunInput } from "./read-run.ts";
import { reportViolations } from "./report-violations.ts";
import { saveChanges } from "./save-changes.ts";

/** With more new lines, reading the rest of the pair adds little in comparison. */
export const MAX_NEW_LINES = 1_000;

/** `undecided`: how many new lines are left to the full run. */
type Decided = { result: Result; changes: Changes; lines: number[]; undecided: number };

/**
 * Matches new lines and saves the matches.
 * @returns the input of the full run, with the numbers of matches that were added and undone; null
 * if all new lines were decided and the run has ended
 */
export async function doShortRun(
  client: Client,
  run: ClaimedRun,
  businessDays: BusinessDays,
): Promise<{ added: number; undone: number } | null> {
  const unchanged = { added: 0, undone: 0 };
  const last = run.shortAfter;
  if (!last || leadingExactRules(run.rules).length === 0) return unchanged;
  const input = await readShortRun(client, run, MAX_NEW_LINES);
  if (!input) return unchanged;
  const decided = decideNewLines(input, run, businessDays);
  const { result, changes, lines, undecided } = decided;
  const leftOut = await saveChanges(client, run, result, changes, input.fees, async () => {});
  if (undecided > 0 || leftOut > 0)
    return { added: changes.created.length - leftOut, undone: changes.removed.length };
  const violations = await callForValue<string[]>(client, "finish_short_run", {
    tenant: run.tenantId,
    run: run.runId,
    attempt: run.attempt,
    lines: `{${lines.join(",")}}`,
    outcome: JSON.stringify(outcomeOf(decided, last, input.new_lines.size)),
  });
  reportViolations(run, violations);
  return null;
}

/** The matches of new lines that don't change what earlier runs confirmed. */
export function decideNewLines(
  input: ShortRunInput,
  { rules }: Pick<ClaimedRun, "rules">,
  businessDays: BusinessDays,
): Decided {
  const { left, right, rejected, present, fees, held_lines, new_lines } = input;
  const result = match({
    left,
    right,
    rules: leadingExactRules(rules),
    rejected,
    businessDays,
  });
  const { created, removed } = changesOf(result, present, fees);
  const isHeld = (line: number) => held_lines.has(line);
  const isSafe = ({ replaces, index }: NewMatch) =>
    replaces === null && !handlesOf(result, result.confirmed, index).some(isHeld);
  const confirmed = created.filter(({ state }) => state === "confirmed");
  // Lines of the same amount depend on each other.
  const leftToFullRun = new Set([
    ...removed.filter(({ state }) => state === "confirmed").map(amountOf),
    ...confirmed.filter((one) => !isSafe(one)).map((one) => amountOfCreated(result, one)),
  ]);
  const matches = confirmed.filter((one) => !leftToFullRun.has(amountOfCreated(result, one)));
  const matchedLines = new Set(
    matches.flatMap(({ index }) => handlesOf(result, result.confirmed, index)),
  );
  const isMatched = (line: number) => matchedLines.has(line);
  const obsolete = removed.filter(
    ({ state, lines }) => state === "suggested" && lines.some(isMatched),
  );
  return {
    result,
    changes: { unchanged: 0, created: matches, removed: obsolete },
    lines: [...matchedLines],
    undecided: [...new_lines].filter((line) => !isMatched(line)).length,
  };
}

function amountOf({ amount_minor, currency }: EarlierMatch): string {
  return `${amount_minor} ${currency}`;
}

function amountOfCreated({ confirmed, input: { left } }: Result, { index }: NewMatch): string {
  const line = confirmed.left(index)[0] as number;
  return `${left.amount[line]} ${left.currencyOf(line)}`;
}

/** The run's row: the last run's row plus the difference. */
function outcomeOf(
  { result, changes: { created, removed }, lines }: Decided,
  last: LastRun,
  newLines: number,
) {
  const { added, replaced, kept: unchanged } = last.changed;
  return {
    digest: digestAfter(last.digest, created, removed),
    waterfall: waterfallAfter(result, created, removed, last),
    suggested_count: last.suggested_count - removed.length,
    open_count: last.open_count + newLines - lines.length,
    exceptions_held_back: last.exceptions_held_back,
    changed: {
      added: created.length,
      kept: unchanged + added + replaced - removed.length,
      replaced: 0,
      undone: removed.length,
      left_out: 0,
    },
  };
}

/** Digests are sums of hashes (engine/content-hash.ts). */
function digestAfter(
  digest: string,
  created: readonly NewMatch[],
  removed: readonly EarlierMatch[],
): string {
  const [version, sum] = digest.split(":") as [string, string];
  const sumOf = (matches: readonly { hash: string }[]) =>
    matches.reduce((total, { hash }) => total + BigInt(`0x${hash}`), 0n);
  const total = BigInt.asUintN(128, BigInt(`0x${sum}`) + sumOf(created) - sumOf(removed));
  return `${version}:${total.toString(16).padStart(32, "0")}`;
}

/** Matches of exact rules have a line of each side, both of one amount. */
function waterfallAfter(
  { confirmed, input }: Result,
  created: readonly NewMatch[],
  removed: readonly EarlierMatch[],
  { waterfall }: LastRun,
): LastRun["waterfall"] {
  return waterfall.map((step) => {
    if (step.kind !== "rule") return step;
    const matched = created.filter(
      ({ index }) => input.rules[confirmed.rule[index] as number]?.name === step.rule,
    );
    const amounts = new Map(step.amounts.map((amount) => [amount.currency, amount]));
    for (const { index } of matched) {
      const line = confirmed.left(index)[0] as number;
      const currency = input.left.currencyOf(line);
      const { left_minor = 0, right_minor = 0 } = amounts.get(currency) ?? {};
      const minor = BigInt(input.left.amount[line] as number);
      amounts.set(currency, {
        currency,
        left_minor: exactSum(BigInt(left_minor) + minor),
        right_minor: exactSum(BigInt(right_minor) + minor),
      });
    }
    return {
      ...step,
      matches: step.matches + matched.length,
      suggested: step.suggested - removed.filter(({ method }) => method === step.rule).length,
      left_lines: step.left_lines + matched.length,
      right_lines: step.right_lines + matched.length,
      amounts: [...amounts.values()].sort((one, other) => (one.currency < other.currency ? -1 : 1)),
    };
  });
}
