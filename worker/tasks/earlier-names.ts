import type { TaskList } from "graphile-worker";

/** Names of tasks in earlier versions, and their names now. */
export const EARLIER_NAMES = {
  examine_books: "recount_books",
  expect_files: "open_missing_files",
  fold_exception_counters: "merge_exception_counters",
  forget_security_events: "sign_off_security_events",
  gather_alerts: "collect_alerts",
  look_at_connections: "queue_due_connections",
  queue_book_examinations: "queue_book_recounts",
  tell_security_event_counts: "report_security_event_counts",
} as const;

type Renamed = (typeof EARLIER_NAMES)[keyof typeof EARLIER_NAMES];

/**
 * Registers renamed tasks under their earlier names, too. A job that an earlier version queued is
 * retried for days, and no process takes a job whose task it doesn't know.
 */
export function withEarlierNames(tasks: TaskList & Pick<Required<TaskList>, Renamed>): TaskList {
  const earlier = Object.entries(EARLIER_NAMES).map(([name, now]) => [name, tasks[now]]);
  return { ...tasks, ...Object.fromEntries(earlier) };
}
