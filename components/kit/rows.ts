/** The links of the page's rendered rows, in their order. */
function rowLinks(): HTMLAnchorElement[] {
  return [...document.querySelectorAll<HTMLAnchorElement>("a[data-row]")];
}

/** The link of the row that opens `id`. */
export function rowOf(id: string | null): HTMLAnchorElement | undefined {
  return rowLinks().find((link) => link.dataset.row === id);
}

/** The link of the row `step` below `id`; if that one isn't there, the first row's. */
export function rowFrom(id: string | null, step: 1 | -1): HTMLAnchorElement | undefined {
  const links = rowLinks();
  const at = links.findIndex((link) => link.dataset.row === id);
  return at < 0 ? links[0] : links[at + step];
}

/** The link of the first or the last row. */
export function rowAt(end: "first" | "last"): HTMLAnchorElement | undefined {
  return rowLinks().at(end === "first" ? 0 : -1);
}

const SHIFT_MS = 400;
let shiftedAt = Number.NEGATIVE_INFINITY;

/** Notes that the focus moved to another row because the focused one was removed. */
export function markRowShift(): void {
  shiftedAt = performance.now();
}

/** Whether the focus moved so recently that a key may still be meant for the removed row. */
export function hasJustShifted(): boolean {
  return performance.now() - shiftedAt < SHIFT_MS;
}

/** The link of the row that follows when `id` is removed. */
export function rowAfter(id: string): HTMLAnchorElement | undefined {
  const links = rowLinks();
  const at = links.findIndex((link) => link.dataset.row === id);
  return at < 0 ? undefined : (links[at + 1] ?? links[at - 1]);
}

/** Focuses a row and opens it. */
export function goToRow(link: HTMLAnchorElement | undefined): void {
  link?.focus();
  link?.click();
  // Rows below a modal panel can't take focus, so the panel gets it.
  if (link && document.activeElement !== link)
    document.querySelector<HTMLElement>("dialog[data-panel]:modal")?.focus();
}
