import type { Priority } from "./call-limits.ts";

/** Verbs that count the items matching a view's filters, which may include a text search. */
const COUNTS_A_VIEW: ReadonlySet<string> = new Set([
  "list_views",
  "get_view",
  "create_view",
  "update_view",
]);

/** Verbs that change up to 500 rows in a call. */
const CHANGES_MANY: ReadonlySet<string> = new Set(["update_exceptions", "decide_matches"]);

/** A call with a text search counts as a search, wherever its text is. */
export function priorityOf(
  priority: Priority,
  verb: string,
  input: { q?: unknown; filter?: { q?: unknown } },
): Priority {
  const searches = input.q || input.filter?.q || COUNTS_A_VIEW.has(verb);
  if (priority !== "interactive") return priority;
  return searches ? "search" : CHANGES_MANY.has(verb) ? "bulk" : "interactive";
}

/**
 * Whether a read replica may answer: searches, and the later pages of an export. An export's first
 * page is recorded, and a view is read right after it was changed, so both need the primary.
 */
export function mayUseReplica(priority: Priority, verb: string, continues: boolean): boolean {
  return priority === "search" ? !COUNTS_A_VIEW.has(verb) : priority === "export" && continues;
}
