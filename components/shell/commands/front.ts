import { createStore } from "#components/ui/store.ts";

/** What stands in front of the page by a command. */
export type Front = "palette" | "shortcuts" | "first-steps" | null;

export const front = createStore<Front>(null);
