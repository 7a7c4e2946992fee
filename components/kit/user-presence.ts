/**
 * A user counts as present for a minute after an input, so that automatic refreshes don't keep an
 * idle session alive.
 */
const ATTENDED_MS = 60_000;
const INPUT_EVENTS = ["pointerdown", "pointermove", "wheel", "keydown"] as const;

let touchedAt = Number.NEGATIVE_INFINITY;

/** Loading the page counts as input. */
export function watchPresence(): () => void {
  const touch = () => {
    touchedAt = performance.now();
  };
  touch();
  for (const event of INPUT_EVENTS)
    window.addEventListener(event, touch, { passive: true, capture: true });
  return () => {
    for (const event of INPUT_EVENTS) window.removeEventListener(event, touch, { capture: true });
  };
}

export function isPresent(): boolean {
  return performance.now() - touchedAt < ATTENDED_MS;
}
