import type { Match, MatchExplanation } from "#lib/matching/contract.ts";
import type { LineSuggestion } from "#lib/matching/lines/contract.ts";
import type { OpenLine } from "#lib/matching/workbench/contract.ts";
import type { Side } from "./queries.ts";

const MAX_OPTIONS = 5;

/**
 * A way to match the current line. `match_id`: the run's suggestion, which can be confirmed and
 * rejected; null if it was found for this line alone and is matched manually. `left_minor`,
 * `right_minor`: how much of each side it uses.
 */
export type Option = {
  key: string;
  match_id: string | null;
  line_ids: string[];
  method: string;
  score: number | null;
  margin: number | null;
  left_minor: number;
  right_minor: number;
  /** The fees of its lines, left − right, that explain part of the difference. */
  fee_minor: number;
  explanation: MatchExplanation;
  /** How much of each line it uses; null for the whole open amount. */
  allocations: ReadonlyMap<string, number> | null;
};

/** The run's suggestions first, then others found for the line, without duplicates. */
export function optionsOf(
  line: OpenLine,
  matches: readonly Match[],
  near: readonly LineSuggestion[],
): Option[] {
  const known = matches.map(ofMatch);
  const seen = new Set(known.map(({ line_ids }) => setOf(line_ids)));
  const found = near
    .map((suggestion) => ofSuggestion(suggestion, line))
    .filter(({ line_ids }) => !seen.has(setOf(line_ids)));
  return [...known, ...found].slice(0, MAX_OPTIONS);
}

function ofMatch({ id, members, method, score, margin, adjustments, explanation }: Match): Option {
  const sumOf = (side: Side) =>
    members.reduce((sum, member) => (member.side === side ? sum + member.allocated_minor : sum), 0);
  return {
    key: id,
    match_id: id,
    line_ids: members.map(({ line_id }) => line_id),
    method,
    score,
    margin,
    left_minor: sumOf("left"),
    right_minor: sumOf("right"),
    fee_minor: adjustments.reduce(
      (sum, { kind, amount_minor }) => (kind === "fee" ? sum + amount_minor : sum),
      0,
    ),
    explanation,
    allocations: new Map(members.map(({ line_id, allocated_minor }) => [line_id, allocated_minor])),
  };
}

function ofSuggestion(
  { line_ids, method, score, difference_minor, explanation }: LineSuggestion,
  line: OpenLine,
): Option {
  const other =
    line.side === "left" ? line.open_minor - difference_minor : line.open_minor + difference_minor;
  const [left_minor, right_minor] =
    line.side === "left" ? [line.open_minor, other] : [other, line.open_minor];
  const all = [line.id, ...line_ids];
  return {
    key: setOf(all),
    match_id: null,
    line_ids: all,
    method,
    score,
    margin: explanation.margin,
    left_minor,
    right_minor,
    fee_minor: 0,
    explanation,
    allocations: null,
  };
}

function setOf(ids: readonly string[]): string {
  return [...ids].sort().join(" ");
}

/** The difference of both sides' lines: left − right. */
export type Balance = {
  left_minor: number;
  right_minor: number;
  lefts: number;
  rights: number;
  currencies: readonly string[];
};

export function balanceOf(
  lines: readonly Pick<OpenLine, "side" | "open_minor" | "currency">[],
): Balance {
  const of = (side: Side) => lines.filter((line) => line.side === side);
  const sum = (some: readonly { open_minor: number }[]) =>
    some.reduce((total, { open_minor }) => total + open_minor, 0);
  return {
    left_minor: sum(of("left")),
    right_minor: sum(of("right")),
    lefts: of("left").length,
    rights: of("right").length,
    currencies: [...new Set(lines.map(({ currency }) => currency))],
  };
}

/**
 * The fees of these lines, left − right: a difference of exactly that needs no other explanation.
 */
export function feesOf(lines: readonly Pick<OpenLine, "side" | "fee_minor">[]): number {
  return lines.reduce(
    (sum, { side, fee_minor }) => sum + (side === "left" ? 1 : -1) * (fee_minor ?? 0),
    0,
  );
}

export type Sum = { currency: string; left_minor: number; right_minor: number };

/** The balance of these lines in each currency. */
export function sumsOf(
  lines: readonly Pick<OpenLine, "side" | "open_minor" | "currency">[],
): Sum[] {
  return balanceOf(lines).currencies.map((currency) => ({
    ...balanceOf(lines.filter((line) => line.currency === currency)),
    currency,
  }));
}

/**
 * The line whose difference can stay open: one of the larger side that exceeds the difference. Null
 * if there is none.
 */
export function splittableLine(lines: readonly OpenLine[]): OpenLine | null {
  const { left_minor, right_minor, lefts, rights } = balanceOf(lines);
  const difference = left_minor - right_minor;
  if (difference === 0 || lefts === 0 || rights === 0) return null;
  const fits = ({ side, open_minor }: OpenLine) => {
    const rest = open_minor - (side === "left" ? difference : -difference);
    return Math.sign(rest) === Math.sign(open_minor) && Math.abs(rest) < Math.abs(open_minor);
  };
  return (
    lines.filter(fits).sort((a, b) => Math.abs(b.open_minor) - Math.abs(a.open_minor))[0] ?? null
  );
}
