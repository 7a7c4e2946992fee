/**
 * Finds the first value that is not smaller than `value`, in an array in ascending order.
 * @returns its index, or the length of the array if there is none.
 */
export function lowerBound(sorted: ArrayLike<number>, value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] as number) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
