/**
 * The probability of each edge, given all others: the marginals of the distribution over
 * assignments in which the probability of each is proportional to the exponential of its total
 * weight. Belief propagation after Williams and Lau, "Approximate evaluation of marginal
 * association probabilities with belief propagation", IEEE Transactions on Aerospace and Electronic
 * Systems 50 (2014), who prove that it converges. A node with a capacity stands for that number of
 * equal nodes.
 */
import { type Graph, incidenceOf } from "./graph.ts";

const MAX_ROUNDS = 50;
/** Messages have converged when none changes by more than this share. */
const CONVERGED = 1e-4;
/** The maximum exponent: exp(200) keeps every product a finite double. */
const MAX_NATS = 200;

/**
 * @param graph one connected group: the number of rounds depends on all of its edges.
 * @returns for each edge the probability that one line of its left node is matched with a line of
 *   its right node.
 */
export function marginals(graph: Graph): Float64Array {
  const { start, right, leftCapacity, rightCapacity } = graph;
  const odds = Float64Array.from(graph.weight, (weight) =>
    Math.exp(Math.min(MAX_NATS, weight / 1000)),
  );
  const toRight = new Float64Array(right.length);
  const toLeft = new Float64Array(right.length).fill(1);
  const incidence = incidenceOf(graph);
  const others = new SumOfOthers();
  for (let round = 0; round < MAX_ROUNDS; round++) {
    let change = 0;
    for (let l = 0; l < leftCapacity.length; l++) {
      const from = start[l] as number;
      const to = start[l + 1] as number;
      others.reset();
      for (let e = from; e < to; e++)
        others.add(
          (odds[e] as number) * (toLeft[e] as number),
          rightCapacity[right[e] as number] as number,
        );
      for (let e = from; e < to; e++)
        toRight[e] =
          (odds[e] as number) / (1 + others.without((odds[e] as number) * (toLeft[e] as number)));
    }
    for (let r = 0; r < rightCapacity.length; r++) {
      const from = incidence.start[r] as number;
      const to = incidence.start[r + 1] as number;
      others.reset();
      for (let i = from; i < to; i++)
        others.add(
          toRight[incidence.edge[i] as number] as number,
          leftCapacity[incidence.left[i] as number] as number,
        );
      for (let i = from; i < to; i++) {
        const e = incidence.edge[i] as number;
        const message = 1 / (1 + others.without(toRight[e] as number));
        change = Math.max(
          change,
          Math.abs(message - (toLeft[e] as number)) / (message + (toLeft[e] as number)),
        );
        toLeft[e] = message;
      }
    }
    if (change < CONVERGED) break;
  }
  const probability = new Float64Array(right.length);
  for (let l = 0; l < leftCapacity.length; l++) {
    let sum = 1;
    for (let e = start[l] as number; e < (start[l + 1] as number); e++)
      sum +=
        (rightCapacity[right[e] as number] as number) * (odds[e] as number) * (toLeft[e] as number);
    for (let e = start[l] as number; e < (start[l + 1] as number); e++)
      probability[e] =
        ((rightCapacity[right[e] as number] as number) *
          (odds[e] as number) *
          (toLeft[e] as number)) /
        sum;
  }
  return probability;
}

/**
 * A sum from which any single term can be subtracted without losing the small terms next to the
 * largest.
 */
class SumOfOthers {
  private largest = 0;
  private rest = 0;

  reset(): void {
    this.largest = 0;
    this.rest = 0;
  }

  add(term: number, times: number): void {
    if (term > this.largest) {
      this.rest += this.largest + (times - 1) * term;
      this.largest = term;
    } else this.rest += times * term;
  }

  without(term: number): number {
    return term === this.largest ? this.rest : this.largest + Math.max(0, this.rest - term);
  }
}
