/**
 * What the books of a period come to after some matches, without reading the period: what they came
 * to before, plus the difference. Pure.
 */
import type { Result } from "../../../engine/engine.ts";
import { allocatedOf, type Changes, type NewMatch } from "./changes.ts";
import type { Books } from "./claimed-run.ts";
import { exactSum } from "./impact.ts";
import type { EarlierMatch } from "./read-run.ts";

/** @param changes created matches of whole lines that replace none, and removed suggestions */
export function booksAfter(
  books: Books,
  result: Result,
  { created, removed }: Pick<Changes, "created" | "removed">,
): Books {
  const confirmed = created.filter(({ state }) => state === "confirmed");
  return {
    digest: digestAfter(books.digest, created, removed),
    waterfall: books.waterfall.map((step) => stepAfter(step, result, created, removed)),
    suggested_count: books.suggested_count + created.length - confirmed.length - removed.length,
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

type WaterfallStep = Books["waterfall"][number];

function stepAfter(
  step: WaterfallStep,
  result: Result,
  created: readonly NewMatch[],
  removed: readonly EarlierMatch[],
): WaterfallStep {
  if (step.kind !== "rule") return step;
  const ofRule = created.filter(
    ({ state, index }) =>
      result.input.rules[result[state].rule[index] as number]?.name === step.rule,
  );
  const confirmed = ofRule.filter(({ state }) => state === "confirmed");
  const amounts = new Map(step.amounts.map((amount) => [amount.currency, amount]));
  const after = {
    ...step,
    matches: step.matches + confirmed.length,
    suggested:
      step.suggested +
      ofRule.length -
      confirmed.length -
      removed.filter(({ method }) => method === step.rule).length,
  };
  for (const match of confirmed) {
    const { currency, lines, left, right } = sumsOf(result, match);
    const { left_minor = 0, right_minor = 0 } = amounts.get(currency) ?? {};
    amounts.set(currency, {
      currency,
      left_minor: exactSum(BigInt(left_minor) + left),
      right_minor: exactSum(BigInt(right_minor) + right),
    });
    after.left_lines += lines.left;
    after.right_lines += lines.right;
  }
  after.amounts = [...amounts.values()].sort((one, other) =>
    one.currency < other.currency ? -1 : 1,
  );
  return after;
}

/** How many lines a match has on each side, and their allocated amounts. */
function sumsOf(result: Result, match: NewMatch) {
  const { confirmed, input } = result;
  const [left, right] = [confirmed.left(match.index), confirmed.right(match.index)];
  const allocated = allocatedOf(result, match).map(BigInt);
  const total = (amounts: readonly bigint[]) => amounts.reduce((sum, minor) => sum + minor, 0n);
  const currency =
    left.length > 0
      ? input.left.currencyOf(left[0] as number)
      : input.right.currencyOf(right[0] as number);
  return {
    currency,
    lines: { left: left.length, right: right.length },
    left: total(allocated.slice(0, left.length)),
    right: total(allocated.slice(left.length)),
  };
}
