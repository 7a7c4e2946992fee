/**
 * Focuses the dialog in front, the panel next to the page, or the page, if the element that opened
 * a closing overlay no longer exists.
 */
export function restoreFocus(): void {
  const front =
    [...document.querySelectorAll<HTMLElement>("dialog:modal")].at(-1) ??
    document.querySelector<HTMLElement>("dialog[data-panel][open]") ??
    document.getElementById("content");
  front?.focus({ preventScroll: true });
}
