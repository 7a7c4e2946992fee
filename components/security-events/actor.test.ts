import { expect, test } from "vitest";
import { actorOf, typedActor } from "./actor.ts";

test("an actor is a user's name or the kind of actor", () => {
  expect(["ada", "api_key:key_1", "system", " "].map(actorOf)).toEqual([
    "user:ada",
    "api_key:key_1",
    "system",
    null,
  ]);
});

test.each(["ada", "api_key:key_1", "service_role", "user:", "a:b", ""])(
  "typed text stays unchanged while it filters: %j",
  (text) => {
    expect(typedActor(actorOf(text))).toBe(text);
  },
);
