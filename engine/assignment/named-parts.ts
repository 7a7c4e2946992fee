/**
 * A line that says the number of one line of the other side, and of no other, but pays less or more:
 * it is suggested as a part, however rare parts are in this pool.
 */

import { daysAround } from "../candidates/window.ts";
import { BASIS, HELD } from "../matches.ts";
import { isWithin, toleranceOf } from "../prepare/amounts.ts";
import { type BusinessDays, daysOf } from "../prepare/days.ts";
import type { LinesByNumber, Named } from "../prepare/named.ts";
import type { RunState } from "../prepare/run-state.ts";
import type { Rule } from "../rules.ts";
import { shareName } from "../sums/cut-names.ts";
import { allocate } from "./allocate.ts";

/** Below a lone equal amount: of two lines with one number, the amount tells which is misspelt. */
const SCORE = 0.45;

/** Considers the lines that are still open and that nothing better was found for. */
export function proposeNamedParts(
  state: RunState,
  rule: Rule,
  ruleIndex: number,
  businessDays: BusinessDays,
): void {
  const { named } = state;
  if (rule.residual !== "none" || !named) return;
  const dayNumber = daysOf(rule, businessDays);
  const { before, after } = daysAround(rule);
  const { left, right } = state;
  const proposed = state.proposedAbove(SCORE);
  const isNear = (l: number, r: number) => {
    const lag = dayNumber(right.value_date[r] as number) - dayNumber(left.value_date[l] as number);
    return lag >= -before && lag <= after;
  };
  for (const l of state.open("left")) {
    if (proposed.left.has(l) || state.pendingReversals.left.has(l)) continue;
    const found = onlyNamed(state, named, l);
    if (!found) continue;
    const { line: r, name } = found;
    if (proposed.right.has(r) || state.pendingReversals.right.has(r)) continue;
    const [amount, other] = [left.amount[l] as number, right.amount[r] as number];
    if (amount === other || amount * other <= 0 || left.currency[l] !== right.currency[r]) continue;
    if (!isWithin(toleranceOf(rule), amount, other) || !isNear(l, r)) continue;
    const allocated = allocate(left, [l], right, [r], rule);
    if (allocated === null || state.isRejected([l], [r])) continue;
    if (state.contradictions.of([l], [r]).length > 0) continue;
    state.decide(
      ruleIndex,
      [l],
      [r],
      {
        basis: BASIS.unique,
        held: HELD.score,
        score: SCORE,
        margin: 0,
        note: `Both lines have the number “${name}”, and no other open line has it.`,
      },
      allocated,
    );
  }
}

/** The only open line that has a left line's number, of which that is the only one in turn. */
function onlyNamed(state: RunState, named: LinesByNumber, l: number): Named | null {
  const open = named.of("left", l).filter(({ line }) => state.isOpen("right", line));
  const [found, second] = open.filter((one) => isCertain(state, l, one));
  if (!found || second) return null;
  const back = named
    .of("right", found.line)
    .filter((one) => state.isOpen("left", one.line) && (found.isUncertain || !one.isUncertain));
  return back.length === 1 ? found : null;
}

/** A number behind which a check digit may stand by chance needs the name, too. */
function isCertain({ left, right }: RunState, l: number, { line, isUncertain }: Named): boolean {
  return !isUncertain || shareName(left, l, right, line);
}
