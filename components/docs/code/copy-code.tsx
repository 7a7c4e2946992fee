"use client";

import { useRef } from "react";
import { CopyButton } from "#components/ui/copy-button.tsx";

/** Copies the code shown in the same figure, so that the page contains it only once. */
export function CopyCode({ label }: { label: string }) {
  const place = useRef<HTMLSpanElement>(null);
  return (
    <span ref={place}>
      <CopyButton label={label} text={() => shownCode(place.current)} />
    </span>
  );
}

function shownCode(place: HTMLElement | null): string {
  const shown = [...(place?.closest("figure")?.querySelectorAll("code") ?? [])].find((code) =>
    code.checkVisibility(),
  );
  return shown?.textContent ?? "";
}
