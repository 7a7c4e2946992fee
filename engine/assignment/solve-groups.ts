/** Solves each connected group of a graph separately. */
import { assign } from "./assignment.ts";
import { type Graph, type Part, split } from "./graph.ts";
import { marginals } from "./marginals.ts";
import { RunnerUp } from "./runner-up.ts";

export type SolvedPair = {
  /** The two nodes, and how many of their lines are matched with each other. */
  left: number;
  right: number;
  units: number;
  /** The probability of the pair, given all its rivals. */
  score: number;
  /** How much less the best solution without this pair weighs, in nats. */
  margin: number;
  /**
   * The runner-up: the right node that the left one would get otherwise, or the left node that
   * would get the right one; −1 if there is none.
   */
  otherLeft: number;
  otherRight: number;
  /** The search ended at its budget of steps in this group. */
  hasExceededBudget: boolean;
};

/** Larger losses are not searched for, in thousandths of a nat. */
const MAX_LOSS = 20_000;

/**
 * Yields the best assignment of each group, with the figures by which each of its pairs is judged.
 */
export function* solveGroups(graph: Graph): Generator<SolvedPair[]> {
  for (const group of split(graph)) yield solveGroup(group);
}

function solveGroup({ graph, lefts, rights }: Part): SolvedPair[] {
  if (graph.right.length === 1 && graph.leftCapacity[0] === 1 && graph.rightCapacity[0] === 1)
    return loneEdge(graph, lefts[0] as number, rights[0] as number);
  const probability = marginals(graph);
  const solution = assign(graph);
  const hasExceededBudget = solution.unsolved.some(Boolean);
  const runnerUp = new RunnerUp(graph, solution);
  const pairs: SolvedPair[] = [];
  for (let l = 0; l < graph.leftCapacity.length; l++) {
    for (let e = graph.start[l] as number; e < (graph.start[l + 1] as number); e++) {
      const units = solution.flow[e] as number;
      if (units === 0) continue;
      const second = runnerUp.loss(l, e, MAX_LOSS);
      pairs.push({
        left: lefts[l] as number,
        right: rights[graph.right[e] as number] as number,
        units,
        score: probability[e] as number,
        margin: second.loss / 1000,
        otherLeft: lefts[second.left] ?? -1,
        otherRight: rights[second.right] ?? -1,
        hasExceededBudget,
      });
    }
  }
  return pairs;
}

/** By far the most groups are two lines that have only each other, which need no search. */
function loneEdge({ weight }: Graph, left: number, right: number): SolvedPair[] {
  const nats = (weight[0] as number) / 1000;
  if (nats <= 0) return [];
  return [
    {
      left,
      right,
      units: 1,
      score: 1 / (1 + Math.exp(-nats)),
      margin: Math.min(nats, MAX_LOSS / 1000),
      otherLeft: -1,
      otherRight: -1,
      hasExceededBudget: false,
    },
  ];
}
