import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { ACTIONS, iconOf, KINDS } from "./labels.ts";

const RECORDED = /record_security_event\(\s*'([a-z_]+\.[a-z_]+)'/g;

const recorded = globSync("supabase/schemas/**/*.sql").flatMap((file) =>
  [...readFileSync(file, "utf8").matchAll(RECORDED)].map(([, type]) => type ?? ""),
);

test("every event type that the database records has a label, and a kind to filter by", () => {
  expect(recorded.length).toBeGreaterThan(30);
  expect(recorded.filter((type) => !(type in ACTIONS))).toEqual([]);
  const kinds = KINDS.map(({ type }) => type);
  expect(
    recorded.filter((type) => !kinds.includes(type) && !kinds.includes(`${type.split(".")[0]}.*`)),
  ).toEqual([]);
});

test("every event type that the database records has an icon", () => {
  const unknown = iconOf("unknown.kind");
  expect(recorded.filter((type) => iconOf(type) === unknown)).toEqual([]);
});
