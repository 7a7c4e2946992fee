import fc from "fast-check";
import { expect, test } from "vitest";
import { assign } from "./assignment.ts";
import type { Graph } from "./graph.ts";
import { marginals } from "./marginals.ts";
import { RunnerUp } from "./runner-up.ts";

const weights = fc.array(
  fc.array(fc.integer({ min: -3000, max: 9000 }), { minLength: 4, maxLength: 4 }),
  { minLength: 1, maxLength: 4 },
);
const capacity = fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 4, maxLength: 4 });

function graphOf(
  weights: readonly number[][],
  lefts: readonly number[],
  rights: readonly number[],
): Graph {
  const start = [0];
  const right: number[] = [];
  const weight: number[] = [];
  for (const row of weights) {
    row.forEach((value, r) => {
      // A third of the edges are left out.
      if (value % 3 === 0) return;
      right.push(r);
      weight.push(value);
    });
    start.push(right.length);
  }
  return {
    leftCapacity: Int32Array.from(weights, (_, l) => lefts[l] as number),
    rightCapacity: Int32Array.from(rights),
    start: Int32Array.from(start),
    right: Int32Array.from(right),
    weight: Int32Array.from(weight),
  };
}

/** Every assignment, with its total weight, edge by edge. */
function* everyAssignment(graph: Graph): Generator<{ total: number; flow: number[] }> {
  const edges = graph.right.length;
  const flow = new Array<number>(edges).fill(0);
  const leftOf = Array.from({ length: edges }, (_, e) =>
    graph.start.findLastIndex((from) => from <= e),
  );
  const left = [...graph.leftCapacity];
  const right = [...graph.rightCapacity];
  function* from(e: number, total: number): Generator<{ total: number; flow: number[] }> {
    if (e === edges) {
      yield { total, flow: [...flow] };
      return;
    }
    const [l, r] = [leftOf[e] as number, graph.right[e] as number];
    const max = Math.min(left[l] as number, right[r] as number);
    for (let units = 0; units <= max; units++) {
      flow[e] = units;
      left[l] = (left[l] as number) - units;
      right[r] = (right[r] as number) - units;
      yield* from(e + 1, total + units * (graph.weight[e] as number));
      left[l] = (left[l] as number) + units;
      right[r] = (right[r] as number) + units;
    }
    flow[e] = 0;
  }
  yield* from(0, 0);
}

function totalOf(graph: Graph, flow: ArrayLike<number>): number {
  return Array.from(graph.weight).reduce(
    (total, weight, e) => total + weight * (flow[e] as number),
    0,
  );
}

test("an assignment has the maximum weight within the capacities", () => {
  fc.assert(
    fc.property(
      weights,
      fc.array(fc.integer({ min: 1, max: 2 }), { minLength: 4, maxLength: 4 }),
      (rows, caps) => {
        const graph = graphOf(rows.slice(0, 3), caps, caps);
        let best = 0;
        for (const { total } of everyAssignment(graph)) best = Math.max(best, total);
        expect(totalOf(graph, assign(graph).flow)).toBe(best);
      },
    ),
    { numRuns: 150 },
  );
});

test("dual prices prove the optimum: no edge exceeds them, and used edges and open nodes are tight", () => {
  fc.assert(
    fc.property(weights, capacity, capacity, (rows, lefts, rights) => {
      const graph = graphOf(rows, lefts, rights);
      const { flow, leftPrice, rightPrice } = assign(graph);
      for (let l = 0; l < graph.leftCapacity.length; l++) {
        let used = 0;
        for (let e = graph.start[l] as number; e < (graph.start[l + 1] as number); e++) {
          const slack =
            (leftPrice[l] as number) +
            (rightPrice[graph.right[e] as number] as number) -
            (graph.weight[e] as number);
          expect(slack).toBeGreaterThanOrEqual(0);
          if ((flow[e] as number) > 0) expect(slack).toBe(0);
          used += flow[e] as number;
        }
        if (used < (graph.leftCapacity[l] as number)) expect(leftPrice[l]).toBe(0);
      }
    }),
  );
});

test("the loss of a pair is the weight that the best assignment without it lacks", () => {
  fc.assert(
    fc.property(weights, (rows) => {
      const graph = graphOf(rows, [1, 1, 1, 1], [1, 1, 1, 1]);
      const solution = assign(graph);
      const runnerUp = new RunnerUp(graph, solution);
      const best = totalOf(graph, solution.flow);
      for (let l = 0; l < graph.leftCapacity.length; l++) {
        for (let e = graph.start[l] as number; e < (graph.start[l + 1] as number); e++) {
          if (solution.flow[e] === 0) continue;
          let without = 0;
          for (const { total, flow } of everyAssignment(graph))
            if (flow[e] === 0) without = Math.max(without, total);
          expect(runnerUp.loss(l, e, 1e9).loss).toBe(best - without);
        }
      }
    }),
    { numRuns: 60 },
  );
}, 60_000);

test("marginals of a single pair are exact, and those of rivals nearly so", () => {
  const lone = graphOf([[2000]], [1], [1, 1, 1, 1]);
  expect(marginals(lone)[0]).toBeCloseTo(Math.E ** 2 / (1 + Math.E ** 2), 6);
  const rivals: Graph = {
    leftCapacity: Int32Array.of(1, 1),
    rightCapacity: Int32Array.of(1, 1),
    start: Int32Array.of(0, 2, 4),
    right: Int32Array.of(0, 1, 0, 1),
    weight: Int32Array.of(4000, 1000, 3000, 3500),
  };
  let [all, matched] = [0, 0];
  for (const { total, flow } of everyAssignment(rivals)) {
    all += Math.exp(total / 1000);
    if (flow[0] === 1) matched += Math.exp(total / 1000);
  }
  expect(marginals(rivals)[0]).toBeCloseTo(matched / all, 1);
});

test("the runner-up is the partner that one of two lines would have had otherwise", () => {
  const ones = [1, 1, 1, 1];
  fc.assert(
    fc.property(weights, (rows) => {
      const graph = graphOf(rows, ones, ones);
      const solution = assign(graph);
      const runnerUp = new RunnerUp(graph, solution);
      const all = [...everyAssignment(graph)];
      for (let l = 0; l < rows.length; l++) {
        for (let e = graph.start[l] as number; e < (graph.start[l + 1] as number); e++) {
          if (solution.flow[e] === 0) continue;
          const { left, right } = runnerUp.loss(l, e, 1e9);
          const without = all.filter(({ flow }) => flow[e] === 0);
          const best = Math.max(...without.map(({ total }) => total));
          const has = (flow: number[], from: number, to: number) =>
            flow.some((units, at) => {
              const leftNode = graph.start.findLastIndex((start) => start <= at);
              return units > 0 && leftNode === from && graph.right[at] === to;
            });
          const isOpen = (flow: number[], from: number) =>
            [0, 1, 2, 3].every((to) => !has(flow, from, to));
          const isSecond = without
            .filter(({ total }) => total === best)
            .some(({ flow }) => {
              if (right >= 0) return has(flow, l, right);
              if (left >= 0) return has(flow, left, graph.right[e] as number);
              return isOpen(flow, l);
            });
          expect(isSecond).toBe(true);
        }
      }
    }),
  );
});
