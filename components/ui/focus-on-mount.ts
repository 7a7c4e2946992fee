/** A ref callback that focuses an element the user has just opened, with the caret at its end. */
export function focusOnMount(element: HTMLElement | null): void {
  element?.focus();
  if (element instanceof HTMLTextAreaElement)
    element.setSelectionRange(element.value.length, element.value.length);
}
