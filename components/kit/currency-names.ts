const NAMES = new Intl.DisplayNames("en", { type: "currency", fallback: "none" });

/** "Euro" of "EUR"; undefined for anything that isn't the code of a currency. */
export function currencyName(code: string): string | undefined {
  return /^[A-Za-z]{3}$/.test(code) ? NAMES.of(code.toUpperCase()) : undefined;
}
