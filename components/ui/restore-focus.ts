/** Moves focus to the front dialog, the panel beside the page or the page, when the element that opened a closing overlay is gone. */
export function restoreFocus(): void {
  const front =
    [...document.querySelectorAll<HTMLElement>("dialog:modal")].at(-1) ??
    document.querySelector<HTMLElement>("dialog[data-panel][open]") ??
    document.getElementById("content");
  front?.focus({ preventScroll: true });
}
