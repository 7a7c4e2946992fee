/**
 * A purchase in another currency is booked at one rate and charged at another: an open line whose
 * text says so is suggested with the only other open line of about its amount.
 */
import { daysAround } from "../candidates/window.ts";
import { isCharge } from "../evidence/charges.ts";
import { currenciesIn } from "../evidence/contradictions.ts";
import type { Lines } from "../lines.ts";
import { BASIS, HELD, type Matches } from "../matches.ts";
import { isWithin, toleranceOf } from "../prepare/amounts.ts";
import { type BusinessDays, daysOf } from "../prepare/days.ts";
import type { RunState } from "../prepare/run-state.ts";
import type { Rule } from "../rules.ts";
import { opposite, type Side } from "../side.ts";

const CONVERTED =
  /\b(frgn|foreign|fx|exchange rate|conversion|wechselkurs|umrechnung(skurs)?|taux de change|tipo de cambio|cambio)\b/i;
/** Two banks' rates of one day differ by their margins. */
const MOST_BPS = 200;
/** How many times wider the neighbourhood is in which unrelated lines are counted. */
const WIDER = 5;
/** If as many unrelated lines have about the amount, the only one means little. */
const MOST_CHANCE = 0.5;
const SCORE = 0.5;
const NOTE =
  "The text says that the amount was converted, and no other open line of these days has about this amount.";

/** Adds to the suggestions what no rule has matched or suggested. */
export function proposeConversions(
  state: RunState,
  suggested: Matches,
  { rule, index }: { rule: Rule; index: number },
  businessDays: BusinessDays,
): void {
  const tolerance = toleranceOf(rule);
  const near = { minor: 0, bps: Math.min(MOST_BPS, tolerance.bps) };
  const wide = { minor: 0, bps: WIDER * near.bps };
  const dayNumber = daysOf(rule, businessDays);
  const { before, after } = daysAround(rule);
  const free = {
    left: freeLines(state, suggested, "left"),
    right: freeLines(state, suggested, "right"),
  };
  const reaches = (l: number, r: number, within: typeof near) => {
    const lag =
      dayNumber(state.right.value_date[r] as number) -
      dayNumber(state.left.value_date[l] as number);
    return (
      lag >= -before &&
      lag <= after &&
      state.left.currency[l] === state.right.currency[r] &&
      isWithin(within, state.left.amount[l] as number, state.right.amount[r] as number)
    );
  };
  const partnersOf = (side: Side, line: number, within: typeof near) =>
    free[opposite(side)].filter((other) =>
      side === "left" ? reaches(line, other, within) : reaches(other, line, within),
    );
  for (const side of ["right", "left"] as const) {
    for (const line of free[side]) {
      if (!isConverted(state[side], line)) continue;
      const [other, another] = partnersOf(side, line, near);
      if (other === undefined || another !== undefined) continue;
      if (partnersOf(opposite(side), other, near).length > 1) continue;
      const chance = (partnersOf(side, line, wide).length - 1) / WIDER;
      const [left, right] = side === "left" ? [[line], [other]] : [[other], [line]];
      if (chance > MOST_CHANCE || state.isRejected(left, right)) continue;
      if (state.contradictions.of(left, right).length > 0) continue;
      suggested.add(index, left, right, {
        basis: BASIS.unique,
        held: HELD.score,
        score: SCORE * (1 - chance),
        margin: -Math.log(Math.max(chance, 1 / WIDER)),
        note: NOTE,
      });
    }
  }
}

function freeLines(state: RunState, suggested: Matches, side: Side): number[] {
  const taken = new Set<number>();
  for (let index = 0; index < suggested.length; index++)
    for (const line of suggested[side](index)) taken.add(line);
  return Array.from(state.openUncancelled(side)).filter((line) => !taken.has(line));
}

function isConverted(lines: Lines, line: number): boolean {
  const text = lines.text(line, "description");
  if (text === null || isCharge(lines, line)) return false;
  const own = lines.currencyOf(line);
  return CONVERTED.test(text) || currenciesIn(text).some((currency) => currency !== own);
}
