/**
 * A worker thread that parses files of other calendars and computes holidays: both would block the
 * event loop for longer than other requests should wait.
 */
import { serveTasks } from "../runtime/serve-tasks.ts";
import type { CalendarTask } from "./calendar-tasks.ts";
import { countries, holidaysOf } from "./holidays.ts";
import { readDays } from "./ics.ts";

serveTasks((task: CalendarTask) => {
  switch (task.kind) {
    case "days":
      return readDays(task.ics, task.year);
    case "holidays":
      return holidaysOf(task.country, task.region, task.year);
    case "countries":
      return countries();
    default:
      task satisfies never;
  }
});
