/**
 * Who may be matched with whom: a sparse bipartite graph. A node stands for one line, or for several that nothing tells apart
 * (its capacity). Weights are integers, so that sums are exact and the answer is the same on every machine.
 */
export type Graph = {
  leftCapacity: Int32Array;
  rightCapacity: Int32Array;
  /** Edges of left node l are those from `start[l]` to before `start[l + 1]`, by rising right node. */
  start: Int32Array;
  right: Int32Array;
  /** Gain over leaving both lines open, in thousandths of a nat. */
  weight: Int32Array;
};

/** Lists of edges by right node: positions in `graph.right`, and the left node of each edge. */
export type Incidence = { start: Int32Array; edge: Int32Array; left: Int32Array };

export function byRight(graph: Graph): Incidence {
  const rightCount = graph.rightCapacity.length;
  const start = new Int32Array(rightCount + 1);
  for (const r of graph.right) start[r + 1] = (start[r + 1] as number) + 1;
  for (let r = 0; r < rightCount; r++) start[r + 1] = (start[r + 1] as number) + (start[r] as number);
  const next = start.slice(0, rightCount);
  const edge = new Int32Array(graph.right.length);
  const left = new Int32Array(graph.right.length);
  for (let l = 0; l < graph.leftCapacity.length; l++) {
    for (let e = graph.start[l] as number; e < (graph.start[l + 1] as number); e++) {
      const r = graph.right[e] as number;
      const at = next[r] as number;
      next[r] = at + 1;
      edge[at] = e;
      left[at] = l;
    }
  }
  return { start, edge, left };
}

/** Connected groups: for each left node the number of its group, counted from 0 by the group's first left node. */
export function connectedGroups(graph: Graph): { count: number; ofLeft: Int32Array; ofRight: Int32Array } {
  const leftCount = graph.leftCapacity.length;
  const parent = new DisjointSets(leftCount + graph.rightCapacity.length);
  for (let l = 0; l < leftCount; l++) {
    for (let e = graph.start[l] as number; e < (graph.start[l + 1] as number); e++) parent.join(l, leftCount + (graph.right[e] as number));
  }
  const number = new Int32Array(leftCount + graph.rightCapacity.length).fill(-1);
  let count = 0;
  const ofLeft = new Int32Array(leftCount);
  const ofRight = new Int32Array(graph.rightCapacity.length);
  for (let node = 0; node < number.length; node++) {
    const root = parent.root(node);
    if (number[root] === -1) number[root] = count++;
    if (node < leftCount) ofLeft[node] = number[root] as number;
    else ofRight[node - leftCount] = number[root] as number;
  }
  return { count, ofLeft, ofRight };
}

/** A connected group as a graph of its own, and which nodes of the whole its nodes are. */
export type Group = { graph: Graph; lefts: number[]; rights: number[] };

/** The connected groups that have an edge, nodes in their order, so that a group solved alone is solved as in the whole. */
export function split(graph: Graph, groups: { count: number; ofLeft: Int32Array; ofRight: Int32Array }): Group[] {
  const lefts = buckets(groups.ofLeft, groups.count);
  const rights = buckets(groups.ofRight, groups.count);
  const place = new Int32Array(graph.rightCapacity.length);
  const split: Group[] = [];
  for (let group = 0; group < groups.count; group++) {
    const ownLefts = lefts[group] as number[];
    const ownRights = rights[group] as number[];
    if (ownLefts.length === 0 || ownRights.length === 0) continue;
    ownRights.forEach((r, at) => {
      place[r] = at;
    });
    const start = new Int32Array(ownLefts.length + 1);
    const right: number[] = [];
    const weight: number[] = [];
    ownLefts.forEach((l, at) => {
      for (let e = graph.start[l] as number; e < (graph.start[l + 1] as number); e++) {
        right.push(place[graph.right[e] as number] as number);
        weight.push(graph.weight[e] as number);
      }
      start[at + 1] = right.length;
    });
    const own: Graph = {
      leftCapacity: Int32Array.from(ownLefts, (l) => graph.leftCapacity[l] as number),
      rightCapacity: Int32Array.from(ownRights, (r) => graph.rightCapacity[r] as number),
      start,
      right: Int32Array.from(right),
      weight: Int32Array.from(weight),
    };
    split.push({ graph: own, lefts: ownLefts, rights: ownRights });
  }
  return split;
}

function buckets(groupOf: Int32Array, count: number): number[][] {
  const buckets: number[][] = Array.from({ length: count }, () => []);
  groupOf.forEach((group, node) => {
    (buckets[group] as number[]).push(node);
  });
  return buckets;
}

/** Disjoint sets with path halving and union by the smaller number (Tarjan and van Leeuwen 1984). */
export class DisjointSets {
  private readonly parent: Int32Array;

  constructor(size: number) {
    this.parent = Int32Array.from({ length: size }, (_, node) => node);
  }

  root(node: number): number {
    let at = node;
    while (this.parent[at] !== at) {
      this.parent[at] = this.parent[this.parent[at] as number] as number;
      at = this.parent[at] as number;
    }
    return at;
  }

  join(one: number, other: number): void {
    const a = this.root(one);
    const b = this.root(other);
    if (a < b) this.parent[b] = a;
    else this.parent[a] = b;
  }
}
