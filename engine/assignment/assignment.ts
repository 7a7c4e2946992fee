/**
 * The assignment of greatest total weight in a sparse bipartite graph whose nodes have capacities,
 * each line being free to stay open. Shortest augmenting paths with dual prices, as in Jonker and
 * Volgenant, "A shortest augmenting path algorithm for dense and sparse linear assignment
 * problems", Computing 38 (1987); capacities make it Hitchcock's transportation problem.
 */
import { byRight, type Graph, type Incidence } from "./graph.ts";
import { Heap } from "./heap.ts";

export type Assignment = {
  /** How often each edge is used. */
  flow: Int32Array;
  /**
   * Prices in the unit of the weights: on each edge leftPrice + rightPrice ≥ weight, with equality
   * where it is used.
   */
  leftPrice: Float64Array;
  rightPrice: Float64Array;
  /**
   * Left nodes that the budget of steps left unsolved: they and everything they reach are
   * uncertain.
   */
  unsolved: Uint8Array;
  incidence: Incidence;
};

const NONE = -1;

/** @param budget the steps that the search for the place of one left node may take. */
export function assign(graph: Graph, budget = 1_000_000): Assignment {
  const search = new Search(graph);
  for (let l = 0; l < graph.leftCapacity.length; l++) search.place(l, budget);
  const { flow, leftPrice, rightPrice, unsolved, incidence } = search;
  return { flow, leftPrice, rightPrice, unsolved, incidence };
}

/**
 * How much the total weight loses if one unit of a used edge is forbidden: the distance to the
 * runner-up. It is a shortest cycle through the edge in the residual graph, in which "stays open"
 * is a separate node. If the search reaches its budget, the loss is that of the nearest other
 * partner.
 * @returns the loss, or `limit` if it is no less.
 */
export class RunnerUp {
  private readonly search: Search;

  constructor(graph: Graph, assignment: Assignment) {
    this.search = new Search(graph, assignment);
  }

  loss(
    left: number,
    edge: number,
    limit: number,
    budget = 20_000,
  ): { loss: number; left: number; right: number } {
    return this.search.cycle(left, edge, limit, budget);
  }
}

class Search {
  readonly graph: Graph;
  readonly incidence: Incidence;
  readonly flow: Int32Array;
  readonly leftPrice: Float64Array;
  readonly rightPrice: Float64Array;
  readonly unsolved: Uint8Array;
  private readonly leftUsed: Int32Array;
  private readonly rightUsed: Int32Array;
  private readonly leftDistance: Float64Array;
  private readonly rightDistance: Float64Array;
  /** The edge by which a node was reached. */
  private readonly leftBy: Int32Array;
  private readonly rightBy: Int32Array;
  private readonly leftOfEdge: Int32Array;
  private touchedLeft: number[] = [];
  private touchedRight: number[] = [];
  private readonly heap = new Heap();

  constructor(graph: Graph, solved?: Assignment) {
    const leftCount = graph.leftCapacity.length;
    const rightCount = graph.rightCapacity.length;
    this.graph = graph;
    this.incidence = solved?.incidence ?? byRight(graph);
    this.flow = solved?.flow ?? new Int32Array(graph.right.length);
    this.leftPrice = solved?.leftPrice ?? new Float64Array(leftCount);
    this.rightPrice = solved?.rightPrice ?? new Float64Array(rightCount);
    this.unsolved = solved?.unsolved ?? new Uint8Array(leftCount);
    this.leftUsed = new Int32Array(leftCount);
    this.rightUsed = new Int32Array(rightCount);
    this.leftDistance = new Float64Array(leftCount).fill(Infinity);
    this.rightDistance = new Float64Array(rightCount).fill(Infinity);
    this.leftBy = new Int32Array(leftCount).fill(NONE);
    this.rightBy = new Int32Array(rightCount).fill(NONE);
    this.leftOfEdge = new Int32Array(graph.right.length);
    for (let l = 0; l < leftCount; l++) {
      let best = 0;
      for (let e = graph.start[l] as number; e < (graph.start[l + 1] as number); e++) {
        this.leftOfEdge[e] = l;
        best = Math.max(best, graph.weight[e] as number);
        this.leftUsed[l] = (this.leftUsed[l] as number) + (this.flow[e] as number);
        this.rightUsed[graph.right[e] as number] =
          (this.rightUsed[graph.right[e] as number] as number) + (this.flow[e] as number);
      }
      if (!solved) this.leftPrice[l] = best;
    }
  }

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

  /**
   * The shortest path from `source` to the right node of `edge` without that edge, through "stays
   * open" if that is shorter.
   */
  cycle(
    source: number,
    edge: number,
    limit: number,
    budget: number,
  ): { loss: number; left: number; right: number } {
    const { graph, incidence, heap } = this;
    const rightCount = graph.rightCapacity.length;
    const target = graph.right[edge] as number;
    // The source may stay open, or take a free place, if an open node takes the target's place, or
    // none does.
    const { cost: refill, taker } = this.refill(target, edge, limit, budget);
    let loss = limit;
    let steps = budget;
    /** The end of the shortest path: a left node, or a free right one. */
    let end = { left: NONE, right: NONE, refills: false };
    heap.clear();
    this.reachLeft(source, 0, NONE);
    heap.push(0, rightCount + source);
    while (heap.size > 0 && steps > 0) {
      const at = heap.topKey();
      if (at >= loss) break;
      const node = heap.pop();
      if (node >= rightCount) {
        const l = node - rightCount;
        if (at > (this.leftDistance[l] as number)) continue;
        const stays = at + (this.leftPrice[l] as number) + refill;
        if (stays < loss) {
          loss = stays;
          end = { left: l, right: NONE, refills: true };
        }
        for (let e = graph.start[l] as number; e < (graph.start[l + 1] as number); e++) {
          steps -= 1;
          if (e === edge) continue;
          const r = graph.right[e] as number;
          const to =
            at +
            (this.leftPrice[l] as number) +
            (this.rightPrice[r] as number) -
            (graph.weight[e] as number);
          if (to >= loss || to >= (this.rightDistance[r] as number)) continue;
          if (r === target) {
            loss = to;
            end = { left: l, right: NONE, refills: false };
            continue;
          }
          this.reachRight(r, to, e);
          heap.push(to, r);
          if ((this.rightUsed[r] as number) < (graph.rightCapacity[r] as number)) {
            if (to + refill < loss) {
              loss = to + refill;
              end = { left: NONE, right: r, refills: true };
            }
          }
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
          heap.push(at, rightCount + l);
        }
      }
    }
    if (steps <= 0) {
      const first = this.firstAlternative(source, edge);
      this.forget();
      return { ...first, loss: Math.min(loss, first.loss) };
    }
    const right = this.firstOnTheWay(source, end);
    this.forget();
    return { loss, left: right === NONE && end.refills ? taker : NONE, right };
  }

  /** The right node that a left one moves to on the path to an end; NONE if it stays open. */
  private firstOnTheWay(source: number, end: { left: number; right: number }): number {
    let right = end.right;
    let left =
      right === NONE ? end.left : (this.leftOfEdge[this.rightBy[right] as number] as number);
    while (left !== source && left !== NONE) {
      right = this.graph.right[this.leftBy[left] as number] as number;
      left = this.leftOfEdge[this.rightBy[right] as number] as number;
    }
    return right;
  }

  /**
   * The cost of giving one unit of a right node to another left node, or to none, without an edge,
   * and which node takes it then.
   */
  private refill(
    target: number,
    without: number,
    limit: number,
    budget: number,
  ): { cost: number; taker: number } {
    const { graph, incidence, heap } = this;
    let cost = Math.min(limit, this.rightPrice[target] as number);
    let taker = NONE;
    /** By right node that is given up on the path: which node takes the target's unit. */
    const takers = new Map<number, number>();
    let steps = budget;
    heap.clear();
    this.reachRight(target, 0, NONE);
    heap.push(0, target);
    while (heap.size > 0 && steps > 0) {
      const at = heap.topKey();
      if (at >= cost) break;
      const r = heap.pop();
      if (at > (this.rightDistance[r] as number)) continue;
      if (at + (this.rightPrice[r] as number) < cost) {
        cost = at + (this.rightPrice[r] as number);
        taker = takers.get(r) ?? NONE;
      }
      for (let i = incidence.start[r] as number; i < (incidence.start[r + 1] as number); i++) {
        steps -= 1;
        const e = incidence.edge[i] as number;
        const l = incidence.left[i] as number;
        const to =
          at +
          (this.leftPrice[l] as number) +
          (this.rightPrice[r] as number) -
          (graph.weight[e] as number);
        if (e === without || to >= cost) continue;
        const takes = takers.get(r) ?? l;
        if ((this.leftUsed[l] as number) < (graph.leftCapacity[l] as number)) {
          cost = to;
          taker = takes;
        }
        for (let own = graph.start[l] as number; own < (graph.start[l + 1] as number); own++) {
          const from = graph.right[own] as number;
          if (own === without || this.flow[own] === 0 || to >= (this.rightDistance[from] as number))
            continue;
          this.reachRight(from, to, own);
          takers.set(from, takes);
          heap.push(to, from);
        }
      }
    }
    this.forget();
    return { cost, taker };
  }

  /**
   * The nearest other partner of either end of an edge, by reduced cost: it is reported as the
   * runner-up.
   */
  private firstAlternative(
    source: number,
    edge: number,
  ): { loss: number; left: number; right: number } {
    const { graph, incidence } = this;
    const target = graph.right[edge] as number;
    const best = { loss: Infinity, left: NONE, right: NONE };
    for (let e = graph.start[source] as number; e < (graph.start[source + 1] as number); e++) {
      const r = graph.right[e] as number;
      const cost = (graph.weight[edge] as number) - (graph.weight[e] as number);
      if (e !== edge && cost < best.loss) Object.assign(best, { loss: cost, left: NONE, right: r });
    }
    for (
      let i = incidence.start[target] as number;
      i < (incidence.start[target + 1] as number);
      i++
    ) {
      const e = incidence.edge[i] as number;
      const cost = (graph.weight[edge] as number) - (graph.weight[e] as number);
      if (e !== edge && cost < best.loss)
        Object.assign(best, { loss: cost, left: incidence.left[i] as number, right: NONE });
    }
    return best;
  }

  private reachLeft(l: number, distance: number, by: number): void {
    if (this.leftDistance[l] === Infinity) this.touchedLeft.push(l);
    this.leftDistance[l] = distance;
    this.leftBy[l] = by;
  }

  private reachRight(r: number, distance: number, by: number): void {
    if (this.rightDistance[r] === Infinity) this.touchedRight.push(r);
    this.rightDistance[r] = distance;
    this.rightBy[r] = by;
  }

  private forget(): void {
    for (const l of this.touchedLeft) this.leftDistance[l] = Infinity;
    for (const r of this.touchedRight) this.rightDistance[r] = Infinity;
    this.touchedLeft = [];
    this.touchedRight = [];
  }
}
