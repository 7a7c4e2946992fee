/** Whether somebody is at the page: what it refreshes by itself does not keep a session from lying idle. */
const ATTENDED_MS = 60_000;
const ACTS = ["pointerdown", "pointermove", "wheel", "keydown"] as const;

let touchedAt = Number.NEGATIVE_INFINITY;

/** Loading the page is an act itself. */
export function watchAttendance(): () => void {
  const touch = () => {
    touchedAt = performance.now();
  };
  touch();
  for (const act of ACTS) window.addEventListener(act, touch, { passive: true, capture: true });
  return () => {
    for (const act of ACTS) window.removeEventListener(act, touch, { capture: true });
  };
}

export function isAttended(): boolean {
  return performance.now() - touchedAt < ATTENDED_MS;
}
