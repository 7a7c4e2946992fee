/** The longest wait for a form. Keys held back for longer are dropped. */
const BUFFER_TIMEOUT_MS = 5000;
const FIELD = "input:not([type=checkbox],[type=radio]), textarea";

let buffer: { keys: string[]; end: () => void } | null = null;

/**
 * Holds back the keys typed until a form that a key opens has focus, and types them there. Without
 * this, the letters of a fast typist would act as shortcuts on the row.
 */
export function bufferKeys(): void {
  buffer?.end();
  const ended = new AbortController();
  const options = { capture: true, signal: ended.signal };
  const keys: string[] = [];
  const timer = setTimeout(end, BUFFER_TIMEOUT_MS);
  buffer = { keys, end };

  function end(): void {
    clearTimeout(timer);
    ended.abort();
    buffer = null;
  }
  function onKeyDown(event: KeyboardEvent): void {
    if (event.metaKey || event.ctrlKey || event.altKey || event.isComposing) return;
    if (event.key === "Escape") {
      end();
      return;
    }
    keys.push(event.key);
    event.preventDefault();
    event.stopImmediatePropagation();
  }
  function onFocus({ target }: FocusEvent): void {
    if (!(target instanceof HTMLElement) || !target.matches(FIELD)) return;
    end();
    // Runs after the form's own focus handlers.
    queueMicrotask(() => typeInto(target as HTMLInputElement | HTMLTextAreaElement, keys));
  }
  window.addEventListener("keydown", onKeyDown, options);
  window.addEventListener("focusin", onFocus, options);
  window.addEventListener("pointerdown", end, options);
}

function typeInto(field: HTMLInputElement | HTMLTextAreaElement, keys: readonly string[]): void {
  const text = keys.reduce(applyKey, "");
  if (text === "") return;
  // React reads the value only if it was set by the prototype's setter.
  const setter = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), "value")?.set;
  setter?.call(field, field.value + text);
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

/** Enter is dropped, because it would submit what the user hasn't seen. */
export function applyKey(text: string, key: string): string {
  if (key === "Backspace") return text.slice(0, -1);
  return [...key].length === 1 ? text + key : text;
}
