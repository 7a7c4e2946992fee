/** How far the next best assignment is from the best one, and what it would be. */
import { NONE, Residual } from "./residual.ts";

type Loss = { loss: number; left: number; right: number };

/**
 * How much the total weight loses if one unit of a used edge is forbidden: the distance to the
 * runner-up. It is a shortest cycle through the edge in the residual graph, in which "stays open"
 * is a separate node. If the search reaches its budget, the loss is that of the nearest other
 * partner.
 * @returns the loss, or `limit` if it is no less.
 */
export class RunnerUp extends Residual {
  /**
   * The shortest path from `source` to the right node of `edge` without that edge, through "stays
   * open" if that is shorter.
   */
  loss(source: number, edge: number, limit: number, budget = 20_000): Loss {
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
  private firstAlternative(source: number, edge: number): Loss {
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
}
