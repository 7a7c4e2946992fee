/**
 * Finds the assignment of maximum total weight in a sparse bipartite graph whose nodes have
 * capacities. Any line may stay open. The algorithm searches shortest augmenting paths with dual
 * prices, as in Jonker and Volgenant, "A shortest augmenting path algorithm for dense and sparse
 * linear assignment problems", Computing 38 (1987); capacities make it Hitchcock's transportation
 * problem.
 */
import type { Graph } from "./graph.ts";
import { type Assignment, NONE, Residual } from "./residual.ts";

/** @param budget the maximum number of steps of the search that places one left node. */
export function assign(graph: Graph, budget = 1_000_000): Assignment {
  const search = new Placement(graph);
  for (let l = 0; l < graph.leftCapacity.length; l++) search.place(l, budget);
  const { flow, leftPrice, rightPrice, unsolved, incidence } = search;
  return { flow, leftPrice, rightPrice, unsolved, incidence };
}

class Placement extends Residual {
  /**
   * Places all units of left node `source`, and moves units of other nodes if that raises the total
   * weight.
   */
  place(source: number, budget: number): void {
    let steps = budget;
    while ((this.leftUsed[source] as number) < (this.graph.leftCapacity[source] as number)) {
      const end = this.shortestPath(source, steps);
      steps = end.steps;
      if (end.steps <= 0) {
        this.unsolved[source] = 1;
        this.clearDistances();
        return;
      }
      this.reprice(end.distance);
      const moved = this.augment(source, end.left, end.right);
      this.clearDistances();
      if (end.left === source) return;
      if (moved === 0) return;
    }
    // A node whose units are all placed keeps its price.
  }

  /**
   * Dijkstra over reduced costs. A path ends at a right node with free capacity, or at a left node
   * one of whose units is better left open.
   */
  private shortestPath(
    source: number,
    budget: number,
  ): { distance: number; left: number; right: number; steps: number } {
    const { graph, incidence, heap } = this;
    const rightCount = graph.rightCapacity.length;
    let distance = this.leftPrice[source] as number;
    let endLeft = source;
    let endRight = NONE;
    let steps = budget;
    heap.clear();
    this.reachLeft(source, 0, NONE);
    heap.push(0, rightCount + source);
    while (heap.size > 0 && steps > 0) {
      const current = heap.topKey();
      if (current >= distance) break;
      const node = heap.pop();
      if (node >= rightCount) {
        const l = node - rightCount;
        if (current > (this.leftDistance[l] as number)) continue;
        for (let e = graph.start[l] as number; e < (graph.start[l + 1] as number); e++) {
          steps -= 1;
          const r = graph.right[e] as number;
          const next =
            current +
            (this.leftPrice[l] as number) +
            (this.rightPrice[r] as number) -
            (graph.weight[e] as number);
          if (next >= (this.rightDistance[r] as number) || next >= distance) continue;
          this.reachRight(r, next, e);
          if ((this.rightUsed[r] as number) < (graph.rightCapacity[r] as number)) {
            distance = next;
            endLeft = NONE;
            endRight = r;
          } else heap.push(next, r);
        }
      } else {
        if (current > (this.rightDistance[node] as number)) continue;
        for (
          let i = incidence.start[node] as number;
          i < (incidence.start[node + 1] as number);
          i++
        ) {
          steps -= 1;
          if (this.flow[incidence.edge[i] as number] === 0) continue;
          const l = incidence.left[i] as number;
          if (current >= (this.leftDistance[l] as number)) continue;
          this.reachLeft(l, current, incidence.edge[i] as number);
          if (current + (this.leftPrice[l] as number) < distance) {
            distance = current + (this.leftPrice[l] as number);
            endLeft = l;
            endRight = NONE;
          }
          heap.push(current, rightCount + l);
        }
      }
    }
    return { distance, left: endLeft, right: endRight, steps };
  }

  private reprice(distance: number): void {
    for (const l of this.touchedLeft) {
      const gap = distance - (this.leftDistance[l] as number);
      if (gap > 0) this.leftPrice[l] = (this.leftPrice[l] as number) - gap;
    }
    for (const r of this.touchedRight) {
      const gap = distance - (this.rightDistance[r] as number);
      if (gap > 0) this.rightPrice[r] = (this.rightPrice[r] as number) + gap;
    }
  }

  /**
   * Moves as many units along the path as its narrowest edge allows.
   * @returns their number.
   */
  private augment(source: number, endLeft: number, endRight: number): number {
    if (endLeft === source) return 0;
    const { graph } = this;
    let units = (graph.leftCapacity[source] as number) - (this.leftUsed[source] as number);
    if (endRight !== NONE)
      units = Math.min(
        units,
        (graph.rightCapacity[endRight] as number) - (this.rightUsed[endRight] as number),
      );
    const path: number[] = [];
    let l = endLeft;
    let r = endRight;
    while (l !== source) {
      if (l !== NONE) {
        const backwardEdge = this.leftPredecessor[l] as number;
        units = Math.min(units, this.flow[backwardEdge] as number);
        path.push(~backwardEdge);
        r = graph.right[backwardEdge] as number;
      }
      const forwardEdge = this.rightPredecessor[r] as number;
      path.push(forwardEdge);
      l = this.leftOfEdge[forwardEdge] as number;
    }
    for (const step of path) {
      const edge = step < 0 ? ~step : step;
      this.flow[edge] = (this.flow[edge] as number) + (step < 0 ? -units : units);
    }
    this.leftUsed[source] = (this.leftUsed[source] as number) + units;
    if (endRight !== NONE) this.rightUsed[endRight] = (this.rightUsed[endRight] as number) + units;
    else this.leftUsed[endLeft] = (this.leftUsed[endLeft] as number) - units;
    return units;
  }
}
