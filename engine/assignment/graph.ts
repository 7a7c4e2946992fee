/**
 * Which lines may be matched with which: a sparse bipartite graph. A node stands for one line, or
 * for several indistinguishable ones (its capacity). Weights are integers, so that sums are exact
 * and the result is the same on every machine.
 */
export type Graph = {
  leftCapacity: Int32Array;
  rightCapacity: Int32Array;
  /**
   * Edges of left node l are those from `start[l]` to before `start[l + 1]`, by rising right node.
   */
  start: Int32Array;
  right: Int32Array;
  /** The gain over leaving both lines open, in thousandths of a nat. */
  weight: Int32Array;
};

/** Lists of edges by right node: positions in `graph.right`, and the left node of each edge. */
export type Incidence = { start: Int32Array; edge: Int32Array; left: Int32Array };

export function byRight(graph: Graph): Incidence {
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
 * Connected groups: for each left node the number of its group, counted from 0 in the order of the
 * groups' first left nodes.
 */
export function connectedGroups(graph: Graph): {
  count: number;
  ofLeft: Int32Array;
  ofRight: Int32Array;
} {
  const leftCount = graph.leftCapacity.length;
  const parent = new DisjointSets(leftCount + graph.rightCapacity.length);
  for (let l = 0; l < leftCount; l++) {
    for (let e = graph.start[l] as number; e < (graph.start[l + 1] as number); e++)
      parent.join(l, leftCount + (graph.right[e] as number));
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

/**
 * Some nodes of a graph with all their edges, as a separate graph, and the nodes of the whole that
 * they are.
 */
export type Part = { graph: Graph; lefts: Int32Array; rights: Int32Array };

/**
 * The connected groups that have an edge, one after another, with nodes in order: solving one alone
 * gives the same result as solving the whole.
 */
export function* split(graph: Graph): Generator<Part> {
  const whole = withEdges(graph);
  const groups = connectedGroups(whole.graph);
  const lefts = buckets(groups.ofLeft, groups.count);
  const rights = buckets(groups.ofRight, groups.count);
  const place = new Int32Array(whole.rights.length);
  for (let group = 0; group < groups.count; group++) {
    const part = partOf(
      whole.graph,
      lefts.member.subarray(lefts.start[group], lefts.start[group + 1]),
      rights.member.subarray(rights.start[group], rights.start[group + 1]),
      place,
    );
    yield {
      graph: part.graph,
      lefts: part.lefts.map((l) => whole.lefts[l] as number),
      rights: part.rights.map((r) => whole.rights[r] as number),
    };
  }
}

/** The nodes that have an edge: few of many lines. */
function withEdges(graph: Graph): Part {
  const lefts: number[] = [];
  for (let l = 0; l < graph.leftCapacity.length; l++)
    if (graph.start[l] !== graph.start[l + 1]) lefts.push(l);
  const has = new Uint8Array(graph.rightCapacity.length);
  for (const r of graph.right) has[r] = 1;
  const rights: number[] = [];
  for (let r = 0; r < has.length; r++) if (has[r]) rights.push(r);
  return partOf(graph, Int32Array.from(lefts), Int32Array.from(rights), new Int32Array(has.length));
}

function partOf(graph: Graph, lefts: Int32Array, rights: Int32Array, place: Int32Array): Part {
  let edges = 0;
  for (const l of lefts) edges += (graph.start[l + 1] as number) - (graph.start[l] as number);
  rights.forEach((r, at) => {
    place[r] = at;
  });
  const start = new Int32Array(lefts.length + 1);
  const right = new Int32Array(edges);
  const weight = new Int32Array(edges);
  let next = 0;
  lefts.forEach((l, at) => {
    for (let e = graph.start[l] as number; e < (graph.start[l + 1] as number); e++) {
      right[next] = place[graph.right[e] as number] as number;
      weight[next++] = graph.weight[e] as number;
    }
    start[at + 1] = next;
  });
  const own: Graph = {
    leftCapacity: lefts.map((l) => graph.leftCapacity[l] as number),
    rightCapacity: rights.map((r) => graph.rightCapacity[r] as number),
    start,
    right,
    weight,
  };
  return { graph: own, lefts, rights };
}

function identity(length: number): Int32Array {
  const places = new Int32Array(length);
  for (let at = 0; at < length; at++) places[at] = at;
  return places;
}

/** Nodes by group, in their order: those of group g from `start[g]` to before `start[g + 1]`. */
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
 * Disjoint sets with path halving and union by the smaller number (Tarjan and van Leeuwen 1984).
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
