import { flushSync } from "react-dom";
import { createStore } from "#components/ui/store.ts";
import { toastFailure } from "#components/ui/toast.ts";
import type { NewApiKey } from "#lib/api-keys/contract.ts";

/**
 * A new key whose secret is being shown. Only this store holds the secret: no cache, URL, history
 * or browser storage does.
 */
export type IssuedSecret = { key: NewApiKey; rotated: boolean };

export const issuedSecret = createStore<IssuedSecret | null>(null);

/**
 * Replaces the dialog that issued a secret with the one that shows it. The first returns focus
 * before the second takes it.
 */
export function showSecret(secret: IssuedSecret, onClose: () => void): void {
  flushSync(onClose);
  issuedSecret.set(secret);
}

/** Closes a dialog that may have issued a secret nobody saw. */
export function closeIssueDialog(
  { uncertain }: { uncertain: Error | null },
  onClose: () => void,
): void {
  if (uncertain)
    toastFailure(
      "A key may have been issued",
      "If the list shows a key whose secret you never saw, revoke it.",
    );
  onClose();
}
