import { expect, test } from "vitest";
import { assignable } from "./assignable.ts";

const members = ["user:ada", "user:leo", "user:zoe"];

test("the menu of assignees begins at oneself, then nobody, then who it is now", () => {
  expect(assignable({ sought: "", self: "user:leo", value: "user:zoe", members })).toEqual([
    "user:leo",
    null,
    "user:zoe",
    "user:ada",
  ]);
  expect(assignable({ sought: "", self: "user:leo", value: null, members })).toEqual([
    "user:leo",
    null,
    "user:ada",
    "user:zoe",
  ]);
});

test("a search finds people by a part of the name, and nobody is no one's name", () => {
  expect(assignable({ sought: "O", self: "user:leo", members })).toEqual(["user:leo", "user:zoe"]);
});
