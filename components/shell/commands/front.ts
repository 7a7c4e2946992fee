/** What stands in front of the page by a command. */
export type Front = "palette" | "shortcuts" | "first-steps" | null;

let front: Front = null;
const listeners = new Set<() => void>();

export function bringToFront(next: Front): void {
  front = next;
  for (const notify of listeners) notify();
}

export function currentFront(): Front {
  return front;
}

export function subscribeFront(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
