import type { Priority } from "./concurrency-limiter.ts";

/** They count what a view's filters find, words among them. */
const COUNTS_A_VIEW: ReadonlySet<string> = new Set([
  "list_views",
  "get_view",
  "create_view",
  "update_view",
]);

/** A call that looks for words is a search, wherever it has them. */
export function priorityOf(
  lane: Priority,
  verb: string,
  input: { q?: unknown; filter?: { q?: unknown } },
): Priority {
  const searches = input.q || input.filter?.q || COUNTS_A_VIEW.has(verb);
  return lane === "interactive" && searches ? "search" : lane;
}

/**
 * Whether a read replica may answer: searches and the pages of a file, which are not acted on at once. A file's first page is recorded, and
 * a view is looked at right after it is changed.
 */
export function mayUseReplica(lane: Priority, verb: string, continues: boolean): boolean {
  return lane === "search" ? !COUNTS_A_VIEW.has(verb) : lane === "export" && continues;
}
