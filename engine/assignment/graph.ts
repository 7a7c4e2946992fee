/**
 * The pairs of lines that may be matched, as a sparse bipartite graph. A node stands for one line,
 * or for several indistinguishable lines, whose number is its capacity. Weights are integers, so
 * sums are exact and the result is the same on every machine.
 */
export type Graph = {
  leftCapacity: Int32Array;
  rightCapacity: Int32Array;
  /**
   * The edges of left node l are at `start[l]` to before `start[l + 1]`, by ascending right node.
   */
  start: Int32Array;
  right: Int32Array;
  /** By edge: the gain over leaving both lines open, in thousandths of a nat. */
  weight: Int32Array;
};

/** The edges of each right node: their positions in `graph.right`, and their left nodes. */
export type Incidence = { start: Int32Array; edge: Int32Array; left: Int32Array };

export function incidenceOf(graph: Graph): Incidence {
  const rightCount = graph.rightCapacity.length;
  const start = new Int32Array(rightCount + 1);
  for (const r of graph.right) start[r + 1] = (start[r + 1] as number) + 1;
  for (let r = 0; r < rightCount; r++)
    start[r + 1] = (start[r + 1] as number) + (start[r] as number);
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

/**
 * The connected groups: their number, and the group of each left and right node. Groups are
 * numbered from 0 in the order of their first nodes, left nodes first.
 */
export function connectedGroups(graph: Graph): {
  count: number;
  leftGroup: Int32Array;
  rightGroup: Int32Array;
} {
  const leftCount = graph.leftCapacity.length;
  const sets = new DisjointSets(leftCount + graph.rightCapacity.length);
  for (let l = 0; l < leftCount; l++) {
    for (let e = graph.start[l] as number; e < (graph.start[l + 1] as number); e++)
      sets.join(l, leftCount + (graph.right[e] as number));
  }
  const groupOfRoot = new Int32Array(leftCount + graph.rightCapacity.length).fill(-1);
  let count = 0;
  const leftGroup = new Int32Array(leftCount);
  const rightGroup = new Int32Array(graph.rightCapacity.length);
  for (let node = 0; node < groupOfRoot.length; node++) {
    const root = sets.root(node);
    if (groupOfRoot[root] === -1) groupOfRoot[root] = count++;
    if (node < leftCount) leftGroup[node] = groupOfRoot[root] as number;
    else rightGroup[node - leftCount] = groupOfRoot[root] as number;
  }
  return { count, leftGroup, rightGroup };
}

/**
 * A part of a graph: some nodes with all their edges, and for each the node of the whole graph.
 */
export type Part = { graph: Graph; lefts: Int32Array; rights: Int32Array };

/**
 * Yields the connected groups that have an edge, with their nodes in order. Solving each group
 * separately gives the same result as solving the whole graph.
 */
export function* split(graph: Graph): Generator<Part> {
  const whole = withEdges(graph);
  const groups = connectedGroups(whole.graph);
  const lefts = buckets(groups.leftGroup, groups.count);
  const rights = buckets(groups.rightGroup, groups.count);
  const newIndex = new Int32Array(whole.rights.length);
  for (let group = 0; group < groups.count; group++) {
    const part = partOf(
      whole.graph,
      lefts.member.subarray(lefts.start[group], lefts.start[group + 1]),
      rights.member.subarray(rights.start[group], rights.start[group + 1]),
      newIndex,
    );
    yield {
      graph: part.graph,
      lefts: part.lefts.map((l) => whole.lefts[l] as number),
      rights: part.rights.map((r) => whole.rights[r] as number),
    };
  }
}

/** The part of a graph that has edges: of many lines, only a few. */
function withEdges(graph: Graph): Part {
  const lefts: number[] = [];
  for (let l = 0; l < graph.leftCapacity.length; l++)
    if (graph.start[l] !== graph.start[l + 1]) lefts.push(l);
  const hasEdge = new Uint8Array(graph.rightCapacity.length);
  for (const r of graph.right) hasEdge[r] = 1;
  const rights: number[] = [];
  for (let r = 0; r < hasEdge.length; r++) if (hasEdge[r]) rights.push(r);
  return partOf(
    graph,
    Int32Array.from(lefts),
    Int32Array.from(rights),
    new Int32Array(hasEdge.length),
  );
}

function partOf(graph: Graph, lefts: Int32Array, rights: Int32Array, newIndex: Int32Array): Part {
  let edges = 0;
  for (const l of lefts) edges += (graph.start[l + 1] as number) - (graph.start[l] as number);
  rights.forEach((r, at) => {
    newIndex[r] = at;
  });
  const start = new Int32Array(lefts.length + 1);
  const right = new Int32Array(edges);
  const weight = new Int32Array(edges);
  let next = 0;
  lefts.forEach((l, at) => {
    for (let e = graph.start[l] as number; e < (graph.start[l + 1] as number); e++) {
      right[next] = newIndex[graph.right[e] as number] as number;
      weight[next++] = graph.weight[e] as number;
    }
    start[at + 1] = next;
  });
  const part: Graph = {
    leftCapacity: lefts.map((l) => graph.leftCapacity[l] as number),
    rightCapacity: rights.map((r) => graph.rightCapacity[r] as number),
    start,
    right,
    weight,
  };
  return { graph: part, lefts, rights };
}

function identity(length: number): Int32Array {
  const places = new Int32Array(length);
  for (let at = 0; at < length; at++) places[at] = at;
  return places;
}

/** The nodes of each group, in order: those of g are at `start[g]` to before `start[g + 1]`. */
function buckets(groupOf: Int32Array, count: number): { start: Int32Array; member: Int32Array } {
  const start = new Int32Array(count + 1);
  for (const group of groupOf) start[group + 1] = (start[group + 1] as number) + 1;
  for (let group = 0; group < count; group++)
    start[group + 1] = (start[group + 1] as number) + (start[group] as number);
  const next = start.slice(0, count);
  const member = new Int32Array(groupOf.length);
  groupOf.forEach((group, node) => {
    const at = next[group] as number;
    next[group] = at + 1;
    member[at] = node;
  });
  return { start, member };
}

/**
 * Disjoint sets with path halving. The smaller root becomes the root of a union (Tarjan and van
 * Leeuwen 1984).
 */
export class DisjointSets {
  private readonly parent: Int32Array;

  constructor(size: number) {
    this.parent = identity(size);
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
