import { createStore } from "./store.ts";

/** A message in the corner of the page. */
export type Toast = { id: number; title: string; description?: string; failed: boolean; action?: { label: string; run: () => void } };

const NONE: readonly Toast[] = [];
/** At once: of more, the oldest that say no failure give way. */
const MOST = 3;

export const toasts = createStore(NONE);

let lastId = 0;

export function toast(title: string, more: Pick<Toast, "description" | "action"> = {}): void {
  add({ title, ...more, failed: false });
}

/** Stays until dismissed. */
export function toastFailure(title: string, description: string): void {
  add({ title, description, failed: true });
}

export function dismissToast(id: number): void {
  toasts.set(toasts.get().filter((one) => one.id !== id));
}

function add(shown: Omit<Toast, "id">): void {
  lastId += 1;
  const next = [...toasts.get(), { ...shown, id: lastId }];
  const passing = next.filter(({ failed }) => !failed).slice(0, -MOST);
  toasts.set(next.filter((one) => !passing.includes(one)));
}
