import type { NewApiKey } from "#lib/api-keys/contract.ts";

/** A key whose secret is on the screen. Its only place is this variable: no cache, address, history or storage has it. */
export type Issued = { key: NewApiKey; tenantId: string; rotated: boolean };

let issued: Issued | null = null;
const listeners = new Set<() => void>();

export function reveal(shown: Issued): void {
  set(shown);
}

export function forget(): void {
  set(null);
}

export function currentlyIssued(): Issued | null {
  return issued;
}

export function subscribeIssued(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function set(next: Issued | null): void {
  issued = next;
  for (const notify of listeners) notify();
}
