import { expect, test } from "vitest";
import { namesakes } from "./namesakes.ts";

const by = (actor: string, actor_issuer: string | null, actor_subject: string | null) => ({
  actor,
  actor_issuer,
  actor_subject,
});

test("people with the same name are distinguished, and others stay short", () => {
  const rows = [
    by("user:ada", "https://one.example/", "8f14"),
    by("user:ada", "https://two.example", "8f14"),
    by("user:ada", "https://one.example/", "c9f0"),
    by("user:ada", "", "8f14"),
    by("user:ada", null, null),
    by("user:bob", "https://one.example/", "45c4"),
    by("user:bob", "https://one.example/", "45c4"),
    by("system", null, null),
  ];
  expect(rows.map(namesakes(rows))).toEqual([
    "8f14 at one.example",
    "8f14 at two.example",
    "c9f0 at one.example",
    "8f14",
    null,
    null,
    null,
    null,
  ]);
});
