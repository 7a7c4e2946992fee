/** Like the server's check, except for rare addresses: the browser's build doesn't contain zod. */
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

/** The error of the field, which names the first entry that isn't an address; empty without one. */
export function addressFault(text: string): string {
  const addresses = addressesIn(text);
  if (addresses.length === 0) return "Enter an email address.";
  const wrong = addresses.find((address) => !ADDRESS.test(address));
  return wrong === undefined ? "" : `"${wrong}" isn't an email address.`;
}
