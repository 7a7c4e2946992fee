import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { EARLIER_NAMES, withEarlierNames } from "./earlier-names.ts";

const MAIN = readFileSync(join(import.meta.dirname, "../main.ts"), "utf8");
const TASKS = {
  collect_alerts: () => {},
  merge_exception_counters: () => {},
  open_missing_files: () => {},
  queue_book_recounts: () => {},
  queue_due_connections: () => {},
  recount_books: () => {},
  report_security_event_counts: () => {},
  sign_off_security_events: () => {},
};

test.each(Object.entries(EARLIER_NAMES))("jobs queued as %s run as %s", (earlier, now) => {
  const tasks = withEarlierNames(TASKS);
  expect(tasks[earlier]).toBe(tasks[now]);
});

test.each(Object.entries(EARLIER_NAMES).filter(([earlier]) => earlier !== "examine_books"))(
  "the schedule of %s continues as %s",
  (earlier, now) => {
    expect(MAIN).toMatch(new RegExp(`^ {4}[\\d*/ ]+ ${now} \\?id=${earlier}$`, "m"));
  },
);
