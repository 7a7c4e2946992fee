import type { Statement } from "#lib/matching/periods/contract.ts";

/** The first days of each band, as in the statement. */
const BANDS = [0, 8, 31, 61, 91] as const;

type Amount = { minor: number; lines: number };
/** `to`: its last day; null for the oldest. */
export type Age = { name: string; from: number; to: number | null; left: Amount; right: Amount };

/** Every band of one currency, including those without lines. */
export function agesOf(aging: Statement["aging"], currency: string): Age[] {
  return BANDS.map((from, place) => {
    const next = BANDS[place + 1];
    const of = (side: "left" | "right"): Amount => {
      const own = aging.find(
        (item) => item.currency === currency && item.side === side && item.days_from === from,
      );
      return { minor: Number(own?.open_minor ?? 0), lines: own?.line_count ?? 0 };
    };
    return {
      name: next === undefined ? `${from} and more` : `${from}–${next - 1}`,
      from,
      to: next === undefined ? null : next - 1,
      left: of("left"),
      right: of("right"),
    };
  });
}
