/**
 * "99.4 %": a share from 0 to 1, rounded down, so that nothing looks complete that isn't. 1 is "100
 * %".
 */
export function percent(share: number): string {
  return share >= 1 ? "100 %" : `${(Math.floor(share * 1000) / 10).toFixed(1)} %`;
}
