import type { Knowledge } from "./model.ts";

/** What people's decisions on one pair of sources taught: plain data, to be stored with the pair, shown, and thrown away to reset it. */
export type Weights = { knowledge: Knowledge };
