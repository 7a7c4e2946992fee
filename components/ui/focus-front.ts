/** Moves focus to the front dialog or the page, when the element that opened a closing overlay is gone. */
export function focusFront(): void {
  const front = [...document.querySelectorAll<HTMLElement>("dialog:modal")].at(-1) ?? document.getElementById("content");
  front?.focus({ preventScroll: true });
}
