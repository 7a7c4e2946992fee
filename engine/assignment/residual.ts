/** The residual graph of an assignment, with the state of a search for shortest paths in it. */
import { type Graph, type Incidence, incidenceOf } from "./graph.ts";
import { Heap } from "./heap.ts";

export type Assignment = {
  /** The number of units on each edge. */
  flow: Int32Array;
  /**
   * Dual prices in the unit of the weights: leftPrice + rightPrice ≥ weight on each edge, with
   * equality on used edges.
   */
  leftPrice: Float64Array;
  rightPrice: Float64Array;
  /**
   * 1 for each left node whose search ended at its budget of steps: that node and all nodes that it
   * reaches are uncertain.
   */
  unsolved: Uint8Array;
  incidence: Incidence;
};

export const NONE = -1;

export class Residual {
  readonly graph: Graph;
  readonly incidence: Incidence;
  readonly flow: Int32Array;
  readonly leftPrice: Float64Array;
  readonly rightPrice: Float64Array;
  readonly unsolved: Uint8Array;
  protected readonly leftUsed: Int32Array;
  protected readonly rightUsed: Int32Array;
  protected readonly leftDistance: Float64Array;
  protected readonly rightDistance: Float64Array;
  /** The edge by which the search reached a node. */
  protected readonly leftPredecessor: Int32Array;
  protected readonly rightPredecessor: Int32Array;
  protected readonly leftOfEdge: Int32Array;
  protected touchedLeft: number[] = [];
  protected touchedRight: number[] = [];
  protected readonly heap = new Heap();

  constructor(graph: Graph, solved?: Assignment) {
    const leftCount = graph.leftCapacity.length;
    const rightCount = graph.rightCapacity.length;
    this.graph = graph;
    this.incidence = solved?.incidence ?? incidenceOf(graph);
    this.flow = solved?.flow ?? new Int32Array(graph.right.length);
    this.leftPrice = solved?.leftPrice ?? new Float64Array(leftCount);
    this.rightPrice = solved?.rightPrice ?? new Float64Array(rightCount);
    this.unsolved = solved?.unsolved ?? new Uint8Array(leftCount);
    this.leftUsed = new Int32Array(leftCount);
    this.rightUsed = new Int32Array(rightCount);
    this.leftDistance = new Float64Array(leftCount).fill(Infinity);
    this.rightDistance = new Float64Array(rightCount).fill(Infinity);
    this.leftPredecessor = new Int32Array(leftCount).fill(NONE);
    this.rightPredecessor = new Int32Array(rightCount).fill(NONE);
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

  protected reachLeft(l: number, distance: number, edge: number): void {
    if (this.leftDistance[l] === Infinity) this.touchedLeft.push(l);
    this.leftDistance[l] = distance;
    this.leftPredecessor[l] = edge;
  }

  protected reachRight(r: number, distance: number, edge: number): void {
    if (this.rightDistance[r] === Infinity) this.touchedRight.push(r);
    this.rightDistance[r] = distance;
    this.rightPredecessor[r] = edge;
  }

  protected clearDistances(): void {
    for (const l of this.touchedLeft) this.leftDistance[l] = Infinity;
    for (const r of this.touchedRight) this.rightDistance[r] = Infinity;
    this.touchedLeft = [];
    this.touchedRight = [];
  }
}
