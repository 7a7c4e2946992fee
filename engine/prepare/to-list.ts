/**
 * Some values of a typed array as a list. Spreading a part of the array would allocate the part and
 * an object for each value, which was a seventh of all that a run allocates.
 */
export function toList(values: Int32Array, from = 0, to = from): number[] {
  const list: number[] = [];
  for (let at = from; at < to; at++) list.push(values[at] as number);
  return list;
}
