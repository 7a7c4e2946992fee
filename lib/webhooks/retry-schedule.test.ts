import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const SECONDS: Record<string, number> = { s: 1, min: 60, h: 3600 };

function read(path: string): string {
  return readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
}

test("the webhooks guide lists the real retry delays", () => {
  const sql = read("supabase/schemas/webhooks/webhook_sending.sql");
  const [, schedule = ""] = /select array\[([\d, ]+)\]/.exec(sql) ?? [];
  const [, delays = ""] =
    /^\| Delay \| none \|(.*)\|$/m.exec(read("docs/guides/webhooks.md")) ?? [];
  const shown = delays.split("|").map((delay) => {
    const [, count, unit = ""] = /^(\d+) (s|min|h)$/.exec(delay.trim()) ?? [];
    return Number(count) * (SECONDS[unit] ?? Number.NaN);
  });
  expect(shown).toEqual(schedule.split(",").map(Number));
});
