import { expect, test } from "vitest";
import { everyStep } from "./steps.ts";

const step = (start: string, calls: number) => ({
  start,
  calls,
  client_errors: 0,
  server_errors: 0,
  p50_ms: 1,
  p99_ms: 2,
});

test("a chart has each step once, even across clock changes, and each call in its step", () => {
  const steps = everyStep({
    since: "2026-10-24T21:10:00.000Z",
    until: "2026-10-25T04:00:00.000Z",
    step_seconds: 3600,
    steps: [step("2026-10-25T00:00:00.000Z", 3), step("2026-10-25T01:00:00.000Z", 4)],
  });
  expect(steps.map(({ start, calls }) => [start.slice(11, 13), calls])).toEqual([
    ["21", 0],
    ["22", 0],
    ["23", 0],
    ["00", 3],
    ["01", 4],
    ["02", 0],
    ["03", 0],
  ]);
});
