/** What came of something, for the corner of the page. */
export type Toast = { id: number; title: string; description?: string; failed: boolean; action?: { label: string; run: () => void } };

let shown: readonly Toast[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

export function toast(said: Omit<Toast, "id">): void {
  lastId += 1;
  set([...shown, { ...said, id: lastId }]);
}

export function dismissToast(id: number): void {
  set(shown.filter((one) => one.id !== id));
}

export function shownToasts(): readonly Toast[] {
  return shown;
}

export function subscribeToasts(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function set(next: readonly Toast[]): void {
  shown = next;
  for (const notify of listeners) notify();
}
