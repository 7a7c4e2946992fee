import { DECIMALS } from "./generated/operations.gen.ts";

/** An amount of minor units in the currency's own unit: 125000 EUR is "1250.00", without floats. */
export function toDecimal(minor: number | bigint, currency: string): string {
  const decimals = DECIMALS[currency] ?? 2;
  if (typeof minor === "number" && !Number.isSafeInteger(minor))
    throw new RangeError(`${minor} is no integer of minor units.`);
  const digits = String(minor)
    .replace("-", "")
    .padStart(decimals + 1, "0");
  const point = digits.length - decimals;
  const fraction = decimals > 0 ? `.${digits.slice(point)}` : "";
  return `${minor < 0 ? "-" : ""}${digits.slice(0, point)}${fraction}`;
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
