import { expect, test } from "vitest";
import { commonPauseFault, pauseFault } from "./pause-fault.ts";

const running = { due_at: "2026-11-20T12:00:00.000Z", paused_at: null, closed_at: null };
const paused = { ...running, paused_at: "2026-11-20T09:00:00.000Z" };
const closed = { ...running, closed_at: "2026-11-20T09:00:00.000Z" };
const due = Date.parse(running.due_at);

test("allows a pause until the deadline, and afterwards says to move it", () => {
  expect(pauseFault(running, due - 1)).toBe("");
  expect(pauseFault(running, due)).toMatch(/Move the deadline/);
});

test("refuses to pause a paused or closed exception, with the reason", () => {
  expect(pauseFault(paused, due - 1)).toMatch(/paused already/);
  expect(pauseFault(closed, due - 1)).toMatch(/Reopen/);
});

test("allows pausing a selection if any of it can be paused", () => {
  expect(commonPauseFault([paused, running], due - 1)).toBe("");
  expect(commonPauseFault([paused, running], due)).toMatch(/deadlines have passed/);
});
