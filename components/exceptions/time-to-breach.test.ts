import { expect, test } from "vitest";
import { breachRisk } from "./deadline.ts";
import { timeToBreach } from "./time-to-breach.ts";

const NOW = Date.parse("2026-11-20T12:00:00.000Z");
const dueIn = (minutes: number) => ({ due_at: new Date(NOW + minutes * 60_000).toISOString() });

test.each([-1500, -1440, 0, 1, 59, 60, 240, 241, 1440, 1441])(
  "%i minutes from its breach, an exception is counted once, under its own risk",
  (minutes) => {
    const counted = timeToBreach([dueIn(minutes)], NOW).filter(({ value }) => value > 0);
    expect(counted).toMatchObject([{ value: 1, risk: breachRisk(minutes) }]);
  },
);
