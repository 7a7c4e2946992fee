import { createStore } from "./store.ts";

/** A message in the corner of the page. */
export type Toast = {
  id: number;
  title: string;
  description?: string;
  failed: boolean;
  action?: { label: string; run: () => void };
};

const NONE: readonly Toast[] = [];

const WAITING_MAX = 3;

/**
 * The messages: the one shown, those waiting for their turn, and the failures, which stay until
 * dismissed.
 */
export const toasts = createStore(NONE);

let lastId = 0;

export function toast(title: string, more: Pick<Toast, "description" | "action"> = {}): void {
  add({ title, ...more, failed: false });
}

/** Stays until dismissed. */
export function toastFailure(title: string, description: string): void {
  add({ title, description, failed: true });
}

/**
 * The visible toasts: one message, and all failures. `awaited` says that another message is
 * waiting.
 */
export function visibleToasts(all: readonly Toast[]): (Toast & { awaited: boolean })[] {
  const [first, next] = all.filter(({ failed }) => !failed);
  return all
    .filter((item) => item.failed || item === first)
    .map((item) => ({ ...item, awaited: item === first && next !== undefined }));
}

export function dismissToast(id: number): void {
  toasts.set(toasts.get().filter((item) => item.id !== id));
}

/**
 * Failures don't replace messages. The shown message stays, and of the waiting ones the oldest are
 * dropped over a limit of three.
 */
function add(shown: Omit<Toast, "id">): void {
  lastId += 1;
  const all = [...toasts.get(), { ...shown, id: lastId }];
  const dropped = all.filter(({ failed }) => !failed).slice(1, -WAITING_MAX);
  toasts.set(all.filter((item) => !dropped.includes(item)));
}
