/** Where the focus goes when the one who opened what closes is gone: to the dialog in front, or to the page. */
export function focusFront(): void {
  const front = [...document.querySelectorAll<HTMLElement>("dialog:modal")].at(-1) ?? document.getElementById("content");
  front?.focus({ preventScroll: true });
}
