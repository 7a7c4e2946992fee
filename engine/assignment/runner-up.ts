/** The next best assignment: how much less it weighs than the best one, and what it changes. */
import { NONE, Residual } from "./residual.ts";

type Loss = { loss: number; left: number; right: number };

/**
 * Computes how much total weight is lost if one unit of a used edge is forbidden: the distance to
 * the runner-up. It is the length of a shortest cycle through the edge in the residual graph, in
 * which "stays open" is a separate node. If the search reaches its budget, the loss is at most that
 * of the nearest other partner.
 */
export class RunnerUp extends Residual {
  /**
   * Searches the shortest path from `source` to the right node of `edge` without that edge, through
   * "stays open" if that is shorter.
   * @returns its length, or `limit` if it is at least that long.
   */
  loss(source: number, edge: number, limit: number, budget = 20_000): Loss {
    const { graph, incidence, heap } = this;
    const rightCount = graph.rightCapacity.length;
    const target = graph.right[edge] as number;
    // A path may also end at a left node that stays open or at free capacity on the right. Then
    // another left node takes the target's unit, or none does.
    const { cost: refill, taker } = this.refill(target, edge, limit, budget);
    let loss = limit;
    let steps = budget;
    /** The end of the shortest path: a left node, or a right one with free capacity. */
    let end = { left: NONE, right: NONE, refills: false };
    heap.clear();
    this.reachLeft(source, 0, NONE);
    heap.push(0, rightCount + source);
    while (heap.size > 0 && steps > 0) {
      const current = heap.topKey();
      if (current >= loss) break;
      const node = heap.pop();
      if (node >= rightCount) {
        const l = node - rightCount;
        if (current > (this.leftDistance[l] as number)) continue;
        const openLoss = current + (this.leftPrice[l] as number) + refill;
        if (openLoss < loss) {
          loss = openLoss;
          end = { left: l, right: NONE, refills: true };
        }
        for (let e = graph.start[l] as number; e < (graph.start[l + 1] as number); e++) {
          steps -= 1;
          if (e === edge) continue;
          const r = graph.right[e] as number;
          const next =
            current +
            (this.leftPrice[l] as number) +
            (this.rightPrice[r] as number) -
            (graph.weight[e] as number);
          if (next >= loss || next >= (this.rightDistance[r] as number)) continue;
          if (r === target) {
            loss = next;
            end = { left: l, right: NONE, refills: false };
            continue;
          }
          this.reachRight(r, next, e);
          heap.push(next, r);
          if ((this.rightUsed[r] as number) < (graph.rightCapacity[r] as number)) {
            if (next + refill < loss) {
              loss = next + refill;
              end = { left: NONE, right: r, refills: true };
            }
          }
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
          heap.push(current, rightCount + l);
        }
      }
    }
    if (steps <= 0) {
      const alternative = this.nearestAlternative(source, edge);
      this.clearDistances();
      return { ...alternative, loss: Math.min(loss, alternative.loss) };
    }
    const right = this.firstStep(source, end);
    this.clearDistances();
    return { loss, left: right === NONE && end.refills ? taker : NONE, right };
  }

  /** The right node to which `source` moves first on the path to `end`; NONE if it stays open. */
  private firstStep(source: number, end: { left: number; right: number }): number {
    let right = end.right;
    let left =
      right === NONE
        ? end.left
        : (this.leftOfEdge[this.rightPredecessor[right] as number] as number);
    while (left !== source && left !== NONE) {
      right = this.graph.right[this.leftPredecessor[left] as number] as number;
      left = this.leftOfEdge[this.rightPredecessor[right] as number] as number;
    }
    return right;
  }

  /**
   * The cost of giving one unit of right node `target` to another left node, or to none, without
   * the edge `forbidden`, and the left node that takes it.
   */
  private refill(
    target: number,
    forbidden: number,
    limit: number,
    budget: number,
  ): { cost: number; taker: number } {
    const { graph, incidence, heap } = this;
    let cost = Math.min(limit, this.rightPrice[target] as number);
    let taker = NONE;
    /** By right node that is freed on the path: the left node that takes the target's unit. */
    const takers = new Map<number, number>();
    let steps = budget;
    heap.clear();
    this.reachRight(target, 0, NONE);
    heap.push(0, target);
    while (heap.size > 0 && steps > 0) {
      const current = heap.topKey();
      if (current >= cost) break;
      const r = heap.pop();
      if (current > (this.rightDistance[r] as number)) continue;
      if (current + (this.rightPrice[r] as number) < cost) {
        cost = current + (this.rightPrice[r] as number);
        taker = takers.get(r) ?? NONE;
      }
      for (let i = incidence.start[r] as number; i < (incidence.start[r + 1] as number); i++) {
        steps -= 1;
        const e = incidence.edge[i] as number;
        const l = incidence.left[i] as number;
        const next =
          current +
          (this.leftPrice[l] as number) +
          (this.rightPrice[r] as number) -
          (graph.weight[e] as number);
        if (e === forbidden || next >= cost) continue;
        const takes = takers.get(r) ?? l;
        if ((this.leftUsed[l] as number) < (graph.leftCapacity[l] as number)) {
          cost = next;
          taker = takes;
        }
        for (let used = graph.start[l] as number; used < (graph.start[l + 1] as number); used++) {
          const freed = graph.right[used] as number;
          if (
            used === forbidden ||
            this.flow[used] === 0 ||
            next >= (this.rightDistance[freed] as number)
          )
            continue;
          this.reachRight(freed, next, used);
          takers.set(freed, takes);
          heap.push(next, freed);
        }
      }
    }
    this.clearDistances();
    return { cost, taker };
  }

  /**
   * The nearest other partner of either end of an edge, by the difference of the weights: it is
   * reported as the runner-up.
   */
  private nearestAlternative(source: number, edge: number): Loss {
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
