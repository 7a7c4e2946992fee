import type { Break } from "./break.ts";
import { DATABASE } from "./breaks/database.ts";
import { PAGES } from "./breaks/pages.ts";
import { PIPELINE } from "./breaks/pipeline.ts";
import { PROCESSES } from "./breaks/processes.ts";
import { WEBHOOKS } from "./breaks/webhooks.ts";
import { WIRE } from "./breaks/wire.ts";
import { WRITES } from "./breaks/writes.ts";

/** The breaks by area. An area has the name of its file, by which proof runs each on its own. */
export const AREAS: Readonly<Record<string, readonly Break[]>> = {
  database: DATABASE,
  writes: WRITES,
  webhooks: WEBHOOKS,
  processes: PROCESSES,
  pipeline: PIPELINE,
  wire: WIRE,
  pages: PAGES,
};

export const BREAKS: readonly Break[] = Object.values(AREAS).flat();
