/** As the server's, but for what is rare: zod isn't in the browser's build. */
const ADDRESS = /^[^\s@"'<>()]+@[^\s@.]+(?:\.[^\s@.]+)+$/;

/** The addresses in a field, separated by commas, spaces or lines, each once. */
export function addressesIn(text: string): string[] {
  const seen = new Map(
    text
      .split(/[\s,;]+/)
      .filter(Boolean)
      .map((address) => [address.toLowerCase(), address]),
  );
  return [...seen.values()];
}

/** What is wrong with the field: names the first entry that isn't an address. Empty: nothing. */
export function addressFault(text: string): string {
  const addresses = addressesIn(text);
  if (addresses.length === 0) return "Enter an email address.";
  const wrong = addresses.find((address) => !ADDRESS.test(address));
  return wrong === undefined ? "" : `"${wrong}" isn't an email address.`;
}
