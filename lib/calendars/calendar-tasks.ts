import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { threads } from "../runtime/threads.ts";

export type CalendarTask =
  | { kind: "days"; ics: string; year: number }
  | { kind: "holidays"; country: string; region: string | undefined; year: number }
  | { kind: "countries" };

/** Loaded from the source file: a bundle would hold a second copy of the domain. */
const THREAD = join(process.cwd(), "lib/calendars/calendar-thread.ts");
const MEMORY_MAX_MB = 256;

export const calendarThreads = () =>
  threads<CalendarTask>({
    name: "reads calendars",
    begin: () => new Worker(THREAD, { resourceLimits: { maxOldGenerationSizeMb: MEMORY_MAX_MB } }),
    max: 1,
    maxTasks: 100,
  });
