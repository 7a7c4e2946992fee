import type { Result } from "../../../engine/engine.ts";
import { allocatedOf, type Changes, handlesOf } from "./changes.ts";
import type { RunInput } from "./read-run.ts";

const SAMPLES = 20;

type Change = "newly_matched" | "no_longer_matched" | "changed";
type Touched = {
  change: Change;
  rule: string;
  currency: string;
  amount_minor: number;
  lines: readonly number[];
};

/**
 * What a dry run would change of the confirmed matches, with samples, the largest amounts first.
 * `newly`: the numbers of lines that would be matched and aren't now; `no_longer`: of those that
 * are matched now and would not be.
 */
export function impactOf(result: Result, { made, gone }: Changes, { present, ids }: RunInput) {
  const touched: Touched[] = [];
  const goneByLines = new Map(
    gone.filter(({ state }) => state === "confirmed").map((match) => [keyOf(match.lines), match]),
  );
  const presentById = new Map(present.map((match) => [match.id, match]));
  for (const match of made) {
    if (match.state !== "confirmed") continue;
    const { confirmed, input } = result;
    const lines = handlesOf(result, confirmed, match.index);
    const before = match.again ? presentById.get(match.again) : goneByLines.get(keyOf(lines));
    if (before) goneByLines.delete(keyOf(before.lines));
    const rule = input.rules[confirmed.rule[match.index] as number]?.name ?? "";
    if (before && before.method === rule && match.again) continue;
    const [first] = confirmed.left(match.index);
    const currency =
      first === undefined
        ? input.right.currencyOf(confirmed.right(match.index)[0] as number)
        : input.left.currencyOf(first);
    const amount = allocatedOf(result, match).reduce(
      (most, minor) => Math.max(most, Math.abs(minor)),
      0,
    );
    touched.push({
      change: before ? "changed" : "newly_matched",
      rule,
      currency,
      amount_minor: amount,
      lines,
    });
  }
  for (const { method, currency, amount_minor, lines } of goneByLines.values())
    touched.push({
      change: "no_longer_matched",
      rule: method,
      currency,
      amount_minor: Math.abs(amount_minor),
      lines,
    });
  const linesOf = (change: Change) =>
    new Set(touched.flatMap((one) => (one.change === change ? one.lines : [])));
  const [newly, no_longer, changed] = [
    linesOf("newly_matched"),
    linesOf("no_longer_matched"),
    linesOf("changed"),
  ];
  const of = (change: Change) => summary(touched.filter((one) => one.change === change));
  const samples = touched
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
    newly_matched: of("newly_matched"),
    no_longer_matched: of("no_longer_matched"),
    changed: of("changed"),
    samples,
    newly: [...newly].filter((line) => !no_longer.has(line)),
    no_longer: [...no_longer].filter((line) => !newly.has(line) && !changed.has(line)),
  };
}

function summary(touched: readonly Touched[]) {
  const amounts = new Map<string, bigint>();
  for (const { currency, amount_minor } of touched)
    amounts.set(currency, (amounts.get(currency) ?? 0n) + BigInt(amount_minor));
  return {
    matches: touched.length,
    amounts: [...amounts]
      .sort()
      .map(([currency, minor]) => ({ currency, amount_minor: exactSum(minor) })),
  };
}

function keyOf(lines: readonly number[]): string {
  return [...lines].sort((one, other) => one - other).join(" ");
}

/** A sum as the API has it: a number where JSON keeps it exact, else text. */
export function exactSum(sum: bigint): number | string {
  const number = Number(sum);
  return Number.isSafeInteger(number) ? number : String(sum);
}
