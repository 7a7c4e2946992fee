import { expect, test } from "vitest";
import { mayUseReplica, priorityOf } from "./priority.ts";

test.each<[string, string, { q?: string; filter?: { q?: string } }, string]>([
  ["a list without words", "list_exceptions", {}, "interactive"],
  ["a list with words", "list_exceptions", { q: "payout" }, "search"],
  ["a bulk change of what words find", "update_exceptions", { filter: { q: "payout" } }, "search"],
  ["a bulk change by IDs", "update_exceptions", {}, "bulk"],
  ["a bulk decision", "decide_matches", {}, "bulk"],
  ["views, each counted", "list_views", {}, "search"],
])("sets the priority of %s", (_call, verb, input, priority) => {
  expect(priorityOf("interactive", verb, input)).toBe(priority);
  expect(priorityOf("export", verb, input)).toBe("export");
});

test.each<[string, Parameters<typeof mayUseReplica>, boolean]>([
  ["a search", ["search", "list_exceptions", false], true],
  ["a page of a file behind its first", ["export", "list_exceptions", true], true],
  ["a file's first page, which is recorded", ["export", "list_exceptions", false], false],
  ["views, which are looked at once they are changed", ["search", "list_views", false], false],
  ["a list", ["interactive", "list_exceptions", false], false],
  ["a later step of another request", ["interactive", "get_source", true], false],
])("decides whether a replica may answer: %s", (_call, given, may) => {
  expect(mayUseReplica(...given)).toBe(may);
});
