import { expect, test } from "vitest";
import { actorOf, typedActor } from "./actor.ts";

test("an actor is a user's name, or says what else it is", () => {
  expect(["ada", "api_key:key_1", "system", " "].map(actorOf)).toEqual([
    "user:ada",
    "api_key:key_1",
    "system",
    null,
  ]);
});

test.each(["ada", "api_key:key_1", "service_role", "user:", "a:b", ""])(
  "what is typed stays as it is while it filters: %j",
  (text) => {
    expect(typedActor(actorOf(text))).toBe(text);
  },
);
