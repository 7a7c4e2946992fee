const BYTES = 32;

/** 256 random bits, as the Standard Webhooks libraries take them. Made here: the server sees it once, and keeps it sealed. */
export function newSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(BYTES));
  return `whsec_${btoa(String.fromCharCode(...bytes))}`;
}
