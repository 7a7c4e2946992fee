const BYTES = 32;

/**
 * 256 random bits in the format of Standard Webhooks. Generated in the browser; the server stores
 * it encrypted.
 */
export function newSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(BYTES));
  return `whsec_${btoa(String.fromCharCode(...bytes))}`;
}
