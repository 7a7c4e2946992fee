import { DECIMALS } from "./generated/operations.gen.ts";

/**
 * An amount of minor units in the currency's own unit: 125000 EUR is "1250.00", without floats.
 * Sums beyond 2^53 are strings in the API.
 */
export function toDecimal(minor: number | bigint | string, currency: string): string {
  const decimals = DECIMALS[currency] ?? 2;
  const [, sign, digits] = /^(-?)(\d+)$/.exec(String(minor)) ?? [];
  if (!digits || (typeof minor === "number" && !Number.isSafeInteger(minor)))
    throw new RangeError(`${minor} is no integer of minor units.`);
  const padded = digits.padStart(decimals + 1, "0");
  const whole = padded.slice(0, padded.length - decimals);
  return decimals > 0 ? `${sign}${whole}.${padded.slice(-decimals)}` : `${sign}${whole}`;
}

/** "1250.00" EUR as 125000 minor units. @throws RangeError rather than rounding */
export function toMinor(decimal: string, currency: string): number {
  const decimals = DECIMALS[currency] ?? 2;
  const [, sign = "", whole = "", fraction = ""] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(decimal) ?? [];
  const minor = Number(`${sign}${whole}${fraction.padEnd(decimals, "0")}`);
  if (!whole || fraction.length > decimals || !Number.isSafeInteger(minor))
    throw new RangeError(`"${decimal}" is no amount of ${currency}.`);
  return minor === 0 ? 0 : minor;
}
