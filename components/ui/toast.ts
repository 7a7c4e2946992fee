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

/** The messages: one that passes, those that wait for its place, and the failures, which stay until they are dismissed. */
export const toasts = createStore(NONE);

let lastId = 0;

export function toast(title: string, more: Pick<Toast, "description" | "action"> = {}): void {
  add({ title, ...more, failed: false });
}

/** Stays until dismissed. */
export function toastFailure(title: string, description: string): void {
  add({ title, description, failed: true });
}

/** What shows: one message at a time, beside the failures. `awaited`: another one waits. */
export function shownOf(all: readonly Toast[]): (Toast & { awaited: boolean })[] {
  const [first, next] = all.filter(({ failed }) => !failed);
  return all
    .filter((one) => one.failed || one === first)
    .map((one) => ({ ...one, awaited: one === first && next !== undefined }));
}

export function dismissToast(id: number): void {
  toasts.set(toasts.get().filter((one) => one.id !== id));
}

/** A failure takes no other's place. Of those that pass the first shows on, and of more that wait than anybody would read the oldest go. */
function add(shown: Omit<Toast, "id">): void {
  lastId += 1;
  const all = [...toasts.get(), { ...shown, id: lastId }];
  const gone = all.filter(({ failed }) => !failed).slice(1, -WAITING_MAX);
  toasts.set(all.filter((one) => !gone.includes(one)));
}
