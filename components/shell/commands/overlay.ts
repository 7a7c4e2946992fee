import { createStore } from "#components/ui/store.ts";

/** The overlay that a command has opened. */
export type Overlay = "palette" | "shortcuts" | "first-steps" | "sessions" | null;

export const openOverlay = createStore<Overlay>(null);
