/** Made once for each currency: making one takes longer than what a row of a table has. */
const formats = new Map<string, { format: Intl.NumberFormat; decimals: number }>();

/** An amount in minor units, with as many decimals as its currency has. */
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
