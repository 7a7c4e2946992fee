/** Cached by currency: creating one is too slow for every table row. */
const formats = new Map<string, { format: Intl.NumberFormat; decimals: number }>();

/** Formats an amount in minor units with its currency's decimals. */
export function formatMoney(amountMinor: number, currency: string): string {
  const { format, decimals } = formats.get(currency) ?? formatOf(currency);
  return format.format(amountMinor / 10 ** decimals);
}

function formatOf(currency: string) {
  const format = new Intl.NumberFormat("en", { style: "currency", currency });
  const made = { format, decimals: format.resolvedOptions().maximumFractionDigits ?? 2 };
  formats.set(currency, made);
  return made;
}
