import { flushSync } from "react-dom";
import { createStore } from "#components/ui/store.ts";
import { toastFailure } from "#components/ui/toast.ts";
import type { NewApiKey } from "#lib/api-keys/contract.ts";

/** A key whose secret is on the screen. Its only place is this store: no cache, address, history or browser storage has it. */
export type Issued = { key: NewApiKey; rotated: boolean };

export const issued = createStore<Issued | null>(null);

/** Shows a secret in place of the dialog that asked for it, which gives the focus back before the next one takes it. */
export function reveal(shown: Issued, onClose: () => void): void {
  flushSync(onClose);
  issued.set(shown);
}

/** Closes a dialog that may have issued a secret that nobody saw. */
export function leave({ uncertain }: { uncertain: Error | null }, onClose: () => void): void {
  if (uncertain) toastFailure("A key may have been issued", "If the list shows a key whose secret you never saw, revoke it.");
  onClose();
}
