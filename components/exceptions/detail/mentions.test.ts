import { expect, test } from "vitest";
import { mentionAt, partsOf, withReferences } from "./mentions.ts";

const PEOPLE = ["user:ada", "user:zoe.quist", "user:zoe"];

test("replaces names of known people by references, longest first, and nothing else", () => {
  expect(
    withReferences("@ada, ask @Zoe.Quist. Or @zoe! (@ada) a@ada @adam @ada-b @bob", PEOPLE),
  ).toBe(
    "<@user:ada>, ask <@user:zoe.quist>. Or <@user:zoe>! (<@user:ada>) a@ada @adam @ada-b @bob",
  );
});

test("shows a stored comment as text and people, whatever its text looks like", () => {
  expect(partsOf("<@user:ada>: see <b>this</b> <@nobody> <@user:zoe>")).toEqual([
    { user: "user:ada" },
    { text: ": see <b>this</b> <@nobody> " },
    { user: "user:zoe" },
  ]);
  expect(partsOf("")).toEqual([]);
});

test("starts a mention at an @ after a space, up to the caret", () => {
  expect(mentionAt("Ask @zo", 7)).toEqual({ from: 4, query: "zo" });
  expect(mentionAt("@", 1)).toEqual({ from: 0, query: "" });
  expect(mentionAt("mail@zo", 7)).toBeNull();
  expect(mentionAt("Ask @zoe now", 12)).toBeNull();
});
