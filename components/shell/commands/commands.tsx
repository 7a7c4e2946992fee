"use client";

import dynamic from "next/dynamic";
import { useRouter } from "next/navigation";
import { useLayoutEffect } from "react";
import { bufferKeys } from "#components/kit/key-buffer.ts";
import { useTenantId } from "#components/kit/member.tsx";
import { SEQUENCE_MS } from "#components/kit/use-keys.ts";
import { usePreferences } from "#components/preferences/preferences-provider.tsx";
import { navigate } from "#components/ui/pending-navigation.ts";
import { useStore } from "#components/ui/store.ts";
import { addressOf, type SurfaceLink, sectionsOf } from "../sections.ts";
import { loadPalette } from "./load-palette.ts";
import { openOverlay } from "./overlay.ts";

// Each has its own boundary: otherwise the page would hide while they load.
const Palette = dynamic(loadPalette, { ssr: false });
const ShortcutsDialog = dynamic(
  () => import("./shortcuts-dialog.tsx").then((module) => module.ShortcutsDialog),
  { ssr: false },
);
const FirstStepsDialog = dynamic(
  () =>
    import("#components/first-steps/first-steps-dialog.tsx").then(
      (module) => module.FirstStepsDialog,
    ),
  {
    ssr: false,
  },
);
const SessionsDialog = dynamic(
  () => import("#components/sign-in/sessions-dialog.tsx").then((module) => module.SessionsDialog),
  {
    ssr: false,
  },
);

/** Elements in which a key types text or moves within a widget. */
const TAKES_KEYS =
  "input:not([type=checkbox],[type=radio]), textarea, select, [contenteditable], [role=menu], dialog:modal";

/** Keeps text typed before the palette has loaded, and puts it into the field. */
function togglePalette(): void {
  if (openOverlay.get() === "palette") {
    openOverlay.set(null);
    return;
  }
  // An open form would lose its input.
  if (document.querySelector("dialog[closedby]:modal")) return;
  openOverlay.set("palette");
  bufferKeys();
}

/** The commands of every page: ⌘K and single-key shortcuts. What they open is loaded on demand. */
export function Commands({ surfaces }: { surfaces: readonly SurfaceLink[] }) {
  const tenantId = useTenantId();
  const overlay = useStore(openOverlay, null);
  const { singleKeys } = usePreferences();
  const router = useRouter();

  // Registered before the paint, like the keys of pages (kit/use-keys.ts).
  useLayoutEffect(() => {
    let goUntil = 0;

    function onKeyDown(event: KeyboardEvent) {
      if (event.defaultPrevented || event.isComposing || event.repeat) return;
      const { key } = event;
      if (key === "Control" || key === "Meta") void loadPalette();
      if (
        (event.metaKey || event.ctrlKey) &&
        !event.altKey &&
        !event.shiftKey &&
        key.toLowerCase() === "k"
      ) {
        event.preventDefault();
        togglePalette();
      }
      if (!singleKeys || event.metaKey || event.ctrlKey || event.altKey) return;
      if ((event.target as Element).closest?.(TAKES_KEYS) || document.querySelector("dialog:modal"))
        return;
      const going = event.timeStamp < goUntil;
      goUntil = 0;
      if (going) {
        const section = sectionsOf(surfaces).find(({ letter }) => letter === key);
        if (!section) return;
        event.preventDefault();
        navigate(router, addressOf(tenantId, section.path));
      } else if (key === "g") {
        goUntil = event.timeStamp + SEQUENCE_MS;
      } else if (key === "?") {
        openOverlay.set("shortcuts");
      } else if (key === "/") {
        const search = document.querySelector<HTMLInputElement>("main input[type=search]");
        if (!search) return;
        event.preventDefault();
        search.focus();
        search.select();
      }
    }

    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, [singleKeys, router, surfaces, tenantId]);

  const close = () => openOverlay.set(null);
  if (overlay === "palette") return <Palette surfaces={surfaces} onClose={close} />;
  if (overlay === "shortcuts") return <ShortcutsDialog surfaces={surfaces} onClose={close} />;
  if (overlay === "first-steps") return <FirstStepsDialog onClose={close} />;
  if (overlay === "sessions") return <SessionsDialog onClose={close} />;
  return null;
}
