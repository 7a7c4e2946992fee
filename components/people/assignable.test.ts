import { expect, test } from "vitest";
import { assignable } from "./assignable.ts";

const members = ["user:ada", "user:leo", "user:zoe"];

test("the menu of assignees starts with the user, unassigned and the current assignee", () => {
  expect(assignable({ query: "", self: "user:leo", value: "user:zoe", members })).toEqual([
    "user:leo",
    null,
    "user:zoe",
    "user:ada",
  ]);
  expect(assignable({ query: "", self: "user:leo", value: null, members })).toEqual([
    "user:leo",
    null,
    "user:ada",
    "user:zoe",
  ]);
});

test("a search finds people by part of a name, and leaves out “unassigned”", () => {
  expect(assignable({ query: "O", self: "user:leo", members })).toEqual(["user:leo", "user:zoe"]);
});
