import type { Statement } from "#lib/matching/periods/contract.ts";
import { agingByKind, type OutstandingKind } from "#lib/wire/outstanding-kinds.ts";

/** The first days of each band, as in the statement. */
const BANDS = [0, 8, 31, 61, 91] as const;

type Amount = { minor: number; lines: number };
/** `to`: its last day; null for the oldest. */
export type Age = { name: string; from: number; to: number | null; left: Amount; right: Amount };
type Aged = Pick<
  Statement["aging"][number],
  "currency" | "side" | "days_from" | "line_count" | "open_minor"
>;

/** Every band of one currency, including those without lines. */
export function agesOf(aging: readonly Aged[], currency: string): Age[] {
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

/** The bands of each kind that has lines. Kind null: the statement doesn't state kinds. */
export function agesByKind(
  statement: Pick<Statement, "aging">,
  currency: string,
): { kind: OutstandingKind | null; ages: Age[] }[] {
  const kinds = agingByKind(statement);
  if (!kinds) return [{ kind: null, ages: agesOf(statement.aging, currency) }];
  const own = Map.groupBy(
    kinds.filter((item) => item.currency === currency),
    ({ kind }) => kind,
  );
  return [...own].map(([kind, aged]) => ({ kind, ages: agesOf(aged, currency) }));
}
