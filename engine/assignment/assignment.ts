/**
 * The assignment of greatest total weight in a sparse bipartite graph whose nodes have capacities,
 * each line being free to stay open. Shortest augmenting paths with dual prices, as in Jonker and
 * Volgenant, "A shortest augmenting path algorithm for dense and sparse linear assignment
 * problems", Computing 38 (1987); capacities make it Hitchcock's transportation problem.
 */
import type { Graph } from "./graph.ts";
import { type Assignment, NONE, Residual } from "./residual.ts";

/** @param budget the steps that the search for the place of one left node may take. */
export function assign(graph: Graph, budget = 1_000_000): Assignment {
  const search = new Placement(graph);
  for (let l = 0; l < graph.leftCapacity.length; l++) search.place(l, budget);
  const { flow, leftPrice, rightPrice, unsolved, incidence } = search;
  return { flow, leftPrice, rightPrice, unsolved, incidence };
}

class Placement extends Residual {
  /** Finds places for all units of left node `source`, moving others if that gains more. */
  place(source: number, budget: number): void {
    let steps = budget;
    while ((this.leftUsed[source] as number) < (this.graph.leftCapacity[source] as number)) {
      const end = this.shortest(source, steps);
      steps = end.steps;
      if (end.steps <= 0) {
        this.unsolved[source] = 1;
        this.forget();
        return;
      }
      this.reprice(end.distance);
      const moved = this.augment(source, end.left, end.right);
      this.forget();
      if (end.left === source) return;
      if (moved === 0) return;
    }
    // A completely placed node keeps its price.
  }

  /**
   * Dijkstra over reduced costs: to a right node with room, or to a left node that is better left
   * open.
   */
  private shortest(
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
      const at = heap.topKey();
      if (at >= distance) break;
      const node = heap.pop();
      if (node >= rightCount) {
        const l = node - rightCount;
        if (at > (this.leftDistance[l] as number)) continue;
        for (let e = graph.start[l] as number; e < (graph.start[l + 1] as number); e++) {
          steps -= 1;
          const r = graph.right[e] as number;
          const to =
            at +
            (this.leftPrice[l] as number) +
            (this.rightPrice[r] as number) -
            (graph.weight[e] as number);
          if (to >= (this.rightDistance[r] as number) || to >= distance) continue;
          this.reachRight(r, to, e);
          if ((this.rightUsed[r] as number) < (graph.rightCapacity[r] as number)) {
            distance = to;
            endLeft = NONE;
            endRight = r;
          } else heap.push(to, r);
        }
      } else {
        if (at > (this.rightDistance[node] as number)) continue;
        for (
          let i = incidence.start[node] as number;
          i < (incidence.start[node + 1] as number);
          i++
        ) {
          steps -= 1;
          if (this.flow[incidence.edge[i] as number] === 0) continue;
          const l = incidence.left[i] as number;
          if (at >= (this.leftDistance[l] as number)) continue;
          this.reachLeft(l, at, incidence.edge[i] as number);
          if (at + (this.leftPrice[l] as number) < distance) {
            distance = at + (this.leftPrice[l] as number);
            endLeft = l;
            endRight = NONE;
          }
          heap.push(at, rightCount + l);
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

  /** Moves as many units along the path as its narrowest edge allows. */
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
        const back = this.leftBy[l] as number;
        units = Math.min(units, this.flow[back] as number);
        path.push(~back);
        r = graph.right[back] as number;
      }
      const by = this.rightBy[r] as number;
      path.push(by);
      l = this.leftOfEdge[by] as number;
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
