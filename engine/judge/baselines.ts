/**
 * What simpler ways of matching reach on the same worlds, each written as its friends would write
 * it.
 */

import { Pool } from "../candidates/pool.ts";
import { estimate, everyNode } from "../evidence/estimate.ts";
import { Weighing } from "../evidence/weighing.ts";
import { Nodes } from "../prepare/nodes.ts";
import { RunState } from "../prepare/run-state.ts";
import { firstFrom } from "../prepare/sorted.ts";
import type { Rule } from "../rules.ts";
import { type Found, linesOf } from "./measure.ts";
import type { World, WorldLine } from "./worlds/world.ts";

/** Same amount, currency and day, the only ones on either side. */
export function exactOnly(world: World): Found[] {
  const keyOf = (line: WorldLine) => `${line.amount_minor} ${line.currency} ${line.value_date}`;
  const left = Map.groupBy(world.left, keyOf);
  const right = Map.groupBy(world.right, keyOf);
  return [...left].flatMap(([key, ours]) => {
    const theirs = right.get(key);
    return ours.length === 1 && theirs?.length === 1
      ? [pair(ours[0] as WorldLine, theirs[0] as WorldLine)]
      : [];
  });
}

/**
 * First come, first served: each left line in turn takes the nearest free amount, then the nearest
 * day.
 */
export function greedy(
  world: World,
  { bps, before, after }: { bps: number; before: number; after: number },
): Found[] {
  const free = new Set(world.right);
  const sorted = [...world.right].sort((a, b) => a.amount_minor - b.amount_minor);
  const amounts = sorted.map((line) => line.amount_minor);
  const found: Found[] = [];
  for (const line of world.left) {
    const slack = Math.floor((Math.abs(line.amount_minor) * bps) / 10_000);
    let best: WorldLine | null = null;
    let min = [Infinity, Infinity];
    for (let at = firstFrom(amounts, line.amount_minor - slack); at < sorted.length; at++) {
      const other = sorted[at] as WorldLine;
      if (other.amount_minor > line.amount_minor + slack) break;
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

/** The engine's own weights, but every pair that is more likely than not, without an assignment. */
export function thresholdOnly(world: World, rule: Rule): Found[] {
  const run = new RunState(linesOf("left", world.left), linesOf("right", world.right), new Set());
  const left = new Nodes(run, "left", rule, (day) => day);
  const right = new Nodes(run, "right", rule, (day) => day);
  const pool = new Pool(run, left, right);
  const weighing = new Weighing(pool, rule, null);
  drained(estimate(weighing));
  const graph = weighing.graph(drained(weighing.find(everyNode(pool.seekers))));
  const found: Found[] = [];
  for (let l = 0; l < left.count; l++) {
    for (let e = graph.start[l] as number; e < (graph.start[l + 1] as number); e++) {
      if ((graph.weight[e] as number) > 0) {
        found.push(
          pair(
            world.left[left.line(l)] as WorldLine,
            world.right[right.line(graph.right[e] as number)] as WorldLine,
          ),
        );
      }
    }
  }
  return found;
}

function drained<T>(steps: Generator<unknown, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

function pair(left: WorldLine, right: WorldLine): Found {
  return { left: [left.identity], right: [right.identity], automatic: true, score: 1, rule: 0 };
}
