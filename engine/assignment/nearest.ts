/**
 * Pairs lines by nearness of amount and day alone: solves an assignment over each connected group,
 * and takes a pair from it only if every other assignment is clearly worse.
 */

import { daysAround, Window } from "../candidates/window.ts";
import { toleranceFor, toleranceOf } from "../prepare/amounts.ts";
import type { Nodes } from "../prepare/nodes.ts";
import type { RunState } from "../prepare/run-state.ts";
import type { Progress } from "../progress.ts";
import type { Rule } from "../rules.ts";
import { assign } from "./assignment.ts";
import { type Graph, split } from "./graph.ts";
import { RunnerUp } from "./runner-up.ts";

/** A pair weighs one to two units, by its nearness: more pairs outweigh nearer pairs. */
const UNIT = 1000;
/** The minimum loss of weight in the next best assignment. */
const MIN_LOSS = 300;
const MAX_STEPS = 1000;
const SLICE = 5000;

export type NearestPair = {
  left: number;
  right: number;
  units: number;
  isAlone: boolean;
  margin: number;
  runnerUp: { left: number; right: number };
};

export function* nearestPairs(
  state: RunState,
  left: Nodes,
  right: Nodes,
  rule: Rule,
): Generator<Progress, NearestPair[]> {
  const window = new Window(right, rule, MAX_STEPS);
  const start = new Int32Array(left.count + 1);
  const counterparts: number[] = [];
  const weight: number[] = [];
  const crowded = new Uint8Array(left.count);
  for (let l = 0; l < left.count; l++) {
    if (l % SLICE === 0) yield { stage: rule.name, done: l, total: left.count };
    window.search(left, l);
    if (window.isTruncated) crowded[l] = 1;
    for (const r of window.found.subarray(0, window.count).sort()) {
      if (left.lines !== right.lines && left.isRejected(state, l, right, r)) continue;
      counterparts.push(r);
      weight.push(Math.round(UNIT * (1 + nearness(left, l, right, r, rule))));
    }
    start[l + 1] = counterparts.length;
  }
  const graph = {
    leftCapacity: left.capacities(),
    rightCapacity: right.capacities(),
    start,
    right: Int32Array.from(counterparts),
    weight: Int32Array.from(weight),
  };
  const pairs: NearestPair[] = [];
  for (const group of split(graph)) {
    // A line with more candidates than were examined makes its whole group uncertain.
    if (group.lefts.some((l) => crowded[l])) continue;
    for (const pair of clearPairs(group.graph)) {
      pairs.push({
        ...pair,
        left: group.lefts[pair.left] as number,
        right: group.rights[pair.right] as number,
        runnerUp: {
          left: group.lefts[pair.runnerUp.left] ?? -1,
          right: group.rights[pair.runnerUp.right] ?? -1,
        },
      });
    }
  }
  return pairs;
}

function* clearPairs(graph: Graph): Generator<NearestPair> {
  const solution = assign(graph);
  if (solution.unsolved.some(Boolean)) return;
  const search = new RunnerUp(graph, solution);
  const isAlone = graph.right.length === 1;
  for (let l = 0; l < graph.leftCapacity.length; l++) {
    for (let e = graph.start[l] as number; e < (graph.start[l + 1] as number); e++) {
      const units = solution.flow[e] as number;
      if (units === 0) continue;
      const { loss, left, right } = search.loss(l, e, 2 * UNIT);
      if (loss >= MIN_LOSS)
        yield {
          left: l,
          right: graph.right[e] as number,
          units,
          isAlone,
          margin: loss / UNIT,
          runnerUp: { left, right },
        };
    }
  }
}

/** From 0 at the limits of tolerance and window to 1 for the same amount on the same day. */
function nearness(left: Nodes, l: number, right: Nodes, r: number, rule: Rule): number {
  const [a, b] = [left.amount[l] as number, right.amount[r] as number];
  const amount = Math.abs(a - b) / Math.max(1, toleranceFor(toleranceOf(rule), a, b));
  const { before, after } = daysAround(rule);
  const days =
    Math.abs((right.day[r] as number) - (left.day[l] as number)) / Math.max(1, before, after);
  return 1 - (amount + days) / 2;
}
