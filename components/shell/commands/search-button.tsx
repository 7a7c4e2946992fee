"use client";

import { Search } from "lucide-react";
import { Button } from "#components/ui/button.tsx";
import { Keys } from "#components/ui/keys.tsx";
import { loadPalette } from "./load-palette.ts";
import { openOverlay } from "./overlay.ts";

const opening = {
  "aria-haspopup": "dialog",
  onPointerEnter: loadPalette,
  onClick: () => openOverlay.set("palette"),
} as const;

/** Opens the palette. */
export function SearchButton() {
  return (
    <Button
      variant="secondary"
      size="sm"
      className="justify-start px-2 font-normal text-muted"
      {...opening}
    >
      <Search aria-hidden className="size-4" />
      <span className="mr-auto">Search or jump to…</span>
      <Keys keys={["⌘K"]} />
    </Button>
  );
}

export function SearchIconButton() {
  return (
    <Button variant="ghost" size="touch" aria-label="Search or jump to" {...opening}>
      <Search aria-hidden className="size-5" />
    </Button>
  );
}
