/**
 * Simpler matching methods, for comparison on the same datasets. Each is implemented as well as the
 * method allows.
 */

import { Pool } from "../candidates/pool.ts";
import { allNodes, estimate } from "../evidence/estimate.ts";
import { Weighing } from "../evidence/weighing.ts";
import { lowerBound } from "../prepare/lower-bound.ts";
import { Nodes } from "../prepare/nodes.ts";
import { RunState } from "../prepare/run-state.ts";
import type { Rule } from "../rules.ts";
import type { Dataset, DatasetLine } from "./datasets/dataset.ts";
import { type Found, linesOf } from "./measure.ts";

/** Pairs lines that are the only ones on their side with an amount, currency and day. */
export function exactOnly(dataset: Dataset): Found[] {
  const keyOf = (line: DatasetLine) => `${line.amount_minor} ${line.currency} ${line.value_date}`;
  const left = Map.groupBy(dataset.left, keyOf);
  const right = Map.groupBy(dataset.right, keyOf);
  return [...left].flatMap(([key, lefts]) => {
    const rights = right.get(key);
    return lefts.length === 1 && rights?.length === 1
      ? [pair(lefts[0] as DatasetLine, rights[0] as DatasetLine)]
      : [];
  });
}

/**
 * Greedy matching: each left line in turn is paired with the free line of the nearest amount, then
 * of the nearest day.
 */
export function greedy(
  dataset: Dataset,
  { bps, before, after }: { bps: number; before: number; after: number },
): Found[] {
  const free = new Set(dataset.right);
  const sorted = [...dataset.right].sort((a, b) => a.amount_minor - b.amount_minor);
  const amounts = sorted.map((line) => line.amount_minor);
  const found: Found[] = [];
  for (const line of dataset.left) {
    const tolerance = Math.floor((Math.abs(line.amount_minor) * bps) / 10_000);
    let best: DatasetLine | null = null;
    let min = [Infinity, Infinity];
    for (let at = lowerBound(amounts, line.amount_minor - tolerance); at < sorted.length; at++) {
      const other = sorted[at] as DatasetLine;
      if (other.amount_minor > line.amount_minor + tolerance) break;
      const lag = other.value_date - line.value_date;
      if (!free.has(other) || other.currency !== line.currency || lag < -before || lag > after)
        continue;
      const distance = [Math.abs(other.amount_minor - line.amount_minor), Math.abs(lag)];
      if (
        (distance[0] as number) < (min[0] as number) ||
        (distance[0] === min[0] && (distance[1] as number) < (min[1] as number))
      ) {
        best = other;
        min = distance;
      }
    }
    if (!best) continue;
    free.delete(best);
    found.push(pair(line, best));
  }
  return found;
}

/**
 * Matches every pair that is more probable than not by the engine's weights, without assignment.
 */
export function thresholdOnly(dataset: Dataset, rule: Rule): Found[] {
  const state = new RunState(
    linesOf("left", dataset.left),
    linesOf("right", dataset.right),
    new Set(),
  );
  const left = new Nodes(state, "left", rule, (day) => day);
  const right = new Nodes(state, "right", rule, (day) => day);
  const pool = new Pool(state, left, right);
  const weighing = new Weighing(pool, rule, null);
  runToEnd(estimate(weighing));
  const graph = weighing.graph(runToEnd(weighing.find(allNodes(pool.seekers))));
  const found: Found[] = [];
  for (let l = 0; l < left.count; l++) {
    for (let edge = graph.start[l] as number; edge < (graph.start[l + 1] as number); edge++) {
      if ((graph.weight[edge] as number) > 0) {
        found.push(
          pair(
            dataset.left[left.line(l)] as DatasetLine,
            dataset.right[right.line(graph.right[edge] as number)] as DatasetLine,
          ),
        );
      }
    }
  }
  return found;
}

function runToEnd<T>(steps: Generator<unknown, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

function pair(left: DatasetLine, right: DatasetLine): Found {
  return { left: [left.identity], right: [right.identity], automatic: true, score: 1, rule: 0 };
}
