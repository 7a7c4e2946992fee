import { expect, test } from "vitest";
import type { Exception } from "#lib/exceptions/contract.ts";
import { groupedLines } from "./board-lines.ts";

const NOW = Date.parse("2026-11-20T09:30:00.000Z");
const due = (minutes: number, paused_at: string | null = null) =>
  ({
    id: `${minutes}`,
    due_at: new Date(NOW + minutes * 60_000).toISOString(),
    paused_at,
  }) as Exception;

const shown = (items: Exception[], folded = false) =>
  groupedLines(items, NOW, folded).map((line) =>
    line.kind === "group" ? `${line.group} ${line.rows}` : line.id,
  );

test("groups rows by risk, with the server's limits, and paused ones last", () => {
  expect(
    shown([
      due(-9),
      due(0),
      due(1),
      due(59),
      due(60),
      due(240),
      due(241),
      due(5, "2026-11-20T09:00:00.000Z"),
    ]),
  ).toEqual([
    "breached 2",
    "-9",
    "0",
    "high 2",
    "1",
    "59",
    "medium 2",
    "60",
    "240",
    "low 1",
    "241",
    "paused 1",
    "5",
  ]);
});

test("keeps a folded group's heading and hides breaching rows", () => {
  expect(shown([due(-1), due(30)], true)).toEqual(["breached 1", "-1", "high 1", "30"]);
  expect(shown([], true)).toEqual(["breached 0"]);
});
