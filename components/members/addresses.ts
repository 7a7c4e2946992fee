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
