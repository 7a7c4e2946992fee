/** Cached by currency: creating one is too slow for every table row. */
const formats = new Map<string, { format: Intl.NumberFormat; decimals: number }>();

/**
 * Formats an amount in minor units with its currency's decimals. Pass sums over 2^53 as text, which
 * stays exact.
 */
export function formatMoney(amountMinor: number | string, currency: string): string {
  const { format, decimals } = formats.get(currency) ?? formatOf(currency);
  return format.format(
    typeof amountMinor === "string"
      ? decimalOf(amountMinor, decimals)
      : amountMinor / 10 ** decimals,
  );
}

function decimalOf(digits: string, decimals: number): `${number}` {
  const sign = digits.startsWith("-") ? "-" : "";
  const plain = digits.slice(sign.length).padStart(decimals + 1, "0");
  const point = plain.length - decimals;
  return `${sign}${plain.slice(0, point)}.${plain.slice(point) || "0"}` as `${number}`;
}

function formatOf(currency: string) {
  const format = new Intl.NumberFormat("en", { style: "currency", currency });
  const created = { format, decimals: format.resolvedOptions().maximumFractionDigits ?? 2 };
  formats.set(currency, created);
  return created;
}

/**
 * Parses a typed amount into minor units: "1250", "-12.5", "1,250.00" and "1.250,00". The last mark
 * separates the decimals if at most the currency's number of decimals follow. Null for anything
 * else.
 */
export function parseMoney(typed: string, currency: string): number | null {
  const { decimals } = formats.get(currency) ?? formatOf(currency);
  const [, sign, digits = ""] = /^\s*([-−+]?)\s*([\d.,' \u00a0]*\d)\s*$/.exec(typed) ?? [];
  const [, whole = "", fraction = ""] =
    new RegExp(`^(.*?)(?:[.,](\\d{0,${decimals}}))?$`).exec(digits) ?? [];
  const groups = whole.split(/[.,' \u00a0]/);
  if (groups.some((group, place) => !/^\d+$/.test(group) || (place > 0 && group.length !== 3)))
    return null;
  const minor = Number(groups.join("") + fraction.padEnd(decimals, "0"));
  if (!Number.isSafeInteger(minor)) return null;
  return sign === "-" || sign === "−" ? -minor : minor;
}

/** An amount in minor units as a user would type it: "-12.50". */
export function plainMoney(amountMinor: number, currency: string): string {
  const { decimals } = formats.get(currency) ?? formatOf(currency);
  return (amountMinor / 10 ** decimals).toFixed(decimals);
}
