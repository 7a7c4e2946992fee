/**
 * Suggests a line as a part payment if it shares a number with exactly one line of the other side
 * but has a different amount, however rare part payments are in this pool.
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

/** Below a lone equal amount, which shows whose number is misspelled if two lines have the same. */
const SCORE = 0.45;

/** Only considers lines that are still open and have no better proposal. */
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
    const [leftAmount, rightAmount] = [left.amount[l] as number, right.amount[r] as number];
    if (leftAmount === rightAmount || leftAmount * rightAmount <= 0) continue;
    if (left.currency[l] !== right.currency[r]) continue;
    if (!isWithin(toleranceOf(rule), leftAmount, rightAmount) || !isNear(l, r)) continue;
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

/** The only open line that shares a number with a left line, if that is its only one in turn. */
function onlyNamed(state: RunState, named: LinesByNumber, l: number): Named | null {
  const open = named.of("left", l).filter(({ line }) => state.isOpen("right", line));
  const [found, second] = open.filter((one) => isCertain(state, l, one));
  if (!found || second) return null;
  const back = named
    .of("right", found.line)
    .filter((one) => state.isOpen("left", one.line) && (found.isUncertain || !one.isUncertain));
  return back.length === 1 ? found : null;
}

/** If the last digit may be a check digit only by chance, the lines must also share the name. */
function isCertain({ left, right }: RunState, l: number, { line, isUncertain }: Named): boolean {
  return !isUncertain || shareName(left, l, right, line);
}
