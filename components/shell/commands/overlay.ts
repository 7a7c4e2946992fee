import { createStore } from "#components/ui/store.ts";

/** What a command has opened over the page. */
export type Overlay = "palette" | "shortcuts" | "first-steps" | "sessions" | null;

export const openOverlay = createStore<Overlay>(null);
