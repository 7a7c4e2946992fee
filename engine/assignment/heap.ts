/**
 * A binary min-heap of (key, node) pairs. Equal keys are ordered by node, so that the order of the
 * lines breaks ties.
 */
export class Heap {
  size = 0;
  private keys = new Float64Array(16);
  private nodes = new Int32Array(16);

  clear(): void {
    this.size = 0;
  }

  topKey(): number {
    return this.keys[0] as number;
  }

  push(key: number, node: number): void {
    if (this.size === this.keys.length) this.grow();
    const { keys, nodes } = this;
    let at = this.size++;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (
        (keys[parent] as number) < key ||
        (keys[parent] === key && (nodes[parent] as number) <= node)
      )
        break;
      keys[at] = keys[parent] as number;
      nodes[at] = nodes[parent] as number;
      at = parent;
    }
    keys[at] = key;
    nodes[at] = node;
  }

  pop(): number {
    const { keys, nodes } = this;
    const top = nodes[0] as number;
    const size = --this.size;
    const key = keys[size] as number;
    const node = nodes[size] as number;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= size) break;
      const right = child + 1;
      if (
        right < size &&
        ((keys[right] as number) < (keys[child] as number) ||
          (keys[right] === keys[child] && (nodes[right] as number) < (nodes[child] as number)))
      )
        child = right;
      if (
        (keys[child] as number) > key ||
        (keys[child] === key && (nodes[child] as number) >= node)
      )
        break;
      keys[at] = keys[child] as number;
      nodes[at] = nodes[child] as number;
      at = child;
    }
    keys[at] = key;
    nodes[at] = node;
    return top;
  }

  private grow(): void {
    const keys = new Float64Array(this.keys.length * 2);
    keys.set(this.keys);
    this.keys = keys;
    const nodes = new Int32Array(this.nodes.length * 2);
    nodes.set(this.nodes);
    this.nodes = nodes;
  }
}
