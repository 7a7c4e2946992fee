/**
 * Copies a range of a typed array to a list. Spreading a subarray would allocate the subarray and
 * an object for each value, which was a seventh of all allocations of a run.
 */
export function toList(values: Int32Array, from = 0, to = from): number[] {
  const list: number[] = [];
  for (let at = from; at < to; at++) list.push(values[at] as number);
  return list;
}
