import type { Break } from "./break.ts";
import { DATABASE } from "./database.ts";
import { PAGES } from "./pages.ts";
import { PIPELINE } from "./pipeline.ts";
import { PROCESSES } from "./processes.ts";
import { WEBHOOKS } from "./webhooks.ts";
import { WIRE } from "./wire.ts";
import { WRITES } from "./writes.ts";

export const BREAKS: readonly Break[] = [
  ...DATABASE,
  ...WRITES,
  ...WEBHOOKS,
  ...PROCESSES,
  ...PIPELINE,
  ...WIRE,
  ...PAGES,
];
