/** As `ref`: focuses what a press or a key has just asked for, with the caret at its end. */
export function focusOnMount(element: HTMLElement | null): void {
  element?.focus();
  if (element instanceof HTMLTextAreaElement)
    element.setSelectionRange(element.value.length, element.value.length);
}
