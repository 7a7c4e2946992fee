/** Cached by currency: creating one is too slow for every table row. */
const formats = new Map<string, { format: Intl.NumberFormat; decimals: number }>();

/** Formats an amount in minor units with its currency's decimals. A text of digits, as sums beyond 2^53 come, stays exact. */
export function formatMoney(amountMinor: number | string, currency: string): string {
  const { format, decimals } = formats.get(currency) ?? formatOf(currency);
  return format.format(typeof amountMinor === "string" ? decimalOf(amountMinor, decimals) : amountMinor / 10 ** decimals);
}

function decimalOf(digits: string, decimals: number): `${number}` {
  const sign = digits.startsWith("-") ? "-" : "";
  const plain = digits.slice(sign.length).padStart(decimals + 1, "0");
  const point = plain.length - decimals;
  return `${sign}${plain.slice(0, point)}.${plain.slice(point) || "0"}` as `${number}`;
}

function formatOf(currency: string) {
  const format = new Intl.NumberFormat("en", { style: "currency", currency });
  const made = { format, decimals: format.resolvedOptions().maximumFractionDigits ?? 2 };
  formats.set(currency, made);
  return made;
}
