import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const GUIDES = new URL("../../docs/guides/", import.meta.url);
const texts = readdirSync(GUIDES).map((file) => readFileSync(new URL(file, GUIDES), "utf8"));
const answers = texts
  .flatMap((text) => [...text.matchAll(/^```json output[^\n]*\n(.*?)^```/gms)])
  .map(([, json = "null"]) => JSON.parse(json));

type Row = { at: string; due_at: string; remaining_seconds: number };

test("the ledger in a guide has times that match its seconds", () => {
  const rows: Row[] = answers.flatMap((answer) => (answer?.exception_id ? answer.rows : []));
  expect(rows.length).toBeGreaterThan(0);
  for (const { at, due_at, remaining_seconds } of rows)
    expect((Date.parse(due_at) - Date.parse(at)) / 1000).toBe(remaining_seconds);
});

test("the last 7 days in a guide begin at midnight UTC, as in responses", () => {
  const impacts: { since: string }[] = answers.filter((answer) => answer?.by_operation);
  expect(impacts.length).toBeGreaterThan(0);
  for (const { since } of impacts) expect(since).toMatch(/T00:00:00\.000Z$/);
});
