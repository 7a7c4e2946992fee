import { createStore } from "#components/ui/store.ts";

/** What a command has opened over the page. */
export type Front = "palette" | "shortcuts" | "first-steps" | "sessions" | null;

export const front = createStore<Front>(null);
