/**
 * The share of a period's lines that is matched, in percent with one decimal, rounded down; 0
 * without lines.
 */
export function rateOf({
  matched_count,
  unmatched_count,
}: {
  matched_count: number;
  unmatched_count: number;
}): number {
  const total = matched_count + unmatched_count;
  return total === 0 ? 0 : Math.floor((matched_count / total) * 1000) / 10;
}
