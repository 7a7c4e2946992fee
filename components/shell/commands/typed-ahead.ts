/**
 * What was typed after ⌘K before the palette could take it. `wanted`: the palette was asked for and isn't there yet; `entered`: Enter
 * ended the text.
 */
export type TypedAhead = { wanted: boolean; text: string; entered: boolean };

declare global {
  interface Window {
    tieoutTypedAhead?: TypedAhead;
  }
}

/** Fired on the document when `wanted` changes. */
export const WANTED = "tieout:palette";

/**
 * Collects keys from ⌘K until the palette has focus. The page carries this function as text, so that it runs before any script has
 * loaded: it uses nothing from outside.
 */
export function collectTypedAhead(): void {
  if (window.tieoutTypedAhead) return;
  const ahead: TypedAhead = { wanted: false, text: "", entered: false };
  window.tieoutTypedAhead = ahead;
  const want = (wanted: boolean) => {
    Object.assign(ahead, { wanted, text: "", entered: false });
    document.dispatchEvent(new Event("tieout:palette"));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const { key } = event;
    if (event.isComposing || event.defaultPrevented) return;
    const command =
      (event.metaKey || event.ctrlKey) &&
      !event.altKey &&
      !event.shiftKey &&
      key.toLowerCase() === "k";
    if (!ahead.wanted) {
      // An open form would lose its input, and the palette closes itself.
      if (
        !command ||
        event.repeat ||
        document.querySelector("dialog[closedby]:modal, dialog[data-palette]")
      )
        return;
      want(true);
    } else if (command || key === "Escape") {
      want(false);
    } else if (event.metaKey || event.ctrlKey || event.altKey) {
      return;
    } else if (key === "Enter") {
      ahead.entered = true;
    } else if (!ahead.entered && key === "Backspace") {
      ahead.text = ahead.text.slice(0, -1);
    } else if (!ahead.entered && [...key].length === 1) {
      ahead.text += key;
    }
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  window.addEventListener("keydown", onKeyDown, true);
}

export function isPaletteWanted(): boolean {
  return window.tieoutTypedAhead?.wanted === true;
}

/** Asks for the palette other than by its keys. */
export function wantPalette(wanted = true): void {
  Object.assign(window.tieoutTypedAhead ?? {}, { wanted, text: "", entered: false });
}

/** Hands over what was typed; from here on keys go where focus is. */
export function takeTypedAhead(): { text: string; entered: boolean } {
  const { text = "", entered = false } = window.tieoutTypedAhead ?? {};
  wantPalette(false);
  return { text, entered };
}
