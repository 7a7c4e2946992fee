import type { KeyboardEvent } from "react";

export function itemsOf(menu: HTMLElement | null): HTMLElement[] {
  return [...(menu?.querySelectorAll<HTMLElement>("[role^=menuitem]") ?? [])];
}

/** The keys of https://www.w3.org/WAI/ARIA/apg/patterns/menubar/ */
export function onMenuKey(event: KeyboardEvent<HTMLElement>, close: () => void): void {
  const items = itemsOf(event.currentTarget);
  const at = items.indexOf(document.activeElement as HTMLElement);
  const next = nextItem(event.key, items, at);
  if (next) {
    event.preventDefault();
    next.focus();
  } else if (event.key === "Tab") close();
}

function nextItem(key: string, items: HTMLElement[], at: number): HTMLElement | undefined {
  switch (key) {
    case "ArrowDown":
      return items[(at + 1) % items.length];
    case "ArrowUp":
      return items.at(at <= 0 ? -1 : at - 1);
    case "Home":
      return items[0];
    case "End":
      return items.at(-1);
  }
  if (key.length !== 1 || key === " ") return undefined;
  const inOrder = [...items.slice(at + 1), ...items.slice(0, at + 1)];
  return inOrder.find((item) =>
    item.textContent?.trim().toLowerCase().startsWith(key.toLowerCase()),
  );
}
