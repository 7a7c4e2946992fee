import { parseMoney, plainMoney } from "#components/ui/money.ts";

/** A typed amount in minor units: null if the field is empty, NaN if it isn't an amount from 0. */
export function typedMinor(typed: string, currency: string): number | null {
  if (typed.trim() === "") return null;
  const minor = parseMoney(typed, currency);
  return minor === null || minor < 0 ? Number.NaN : minor;
}

/** The text of a field: as it was typed while it still means this amount in minor units. */
export function shownAmount(typed: string, minor: number | null, currency: string): string {
  if (Object.is(typedMinor(typed, currency), minor)) return typed;
  return minor === null || Number.isNaN(minor) ? "" : plainMoney(minor, currency);
}
