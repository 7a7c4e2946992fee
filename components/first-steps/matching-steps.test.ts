import { expect, test } from "vitest";
import { matchingSteps } from "./matching-steps.ts";

const done = (...state: Parameters<typeof matchingSteps>) =>
  matchingSteps(...state).map((step) => step.done);
const source = (id: string, line_count: number) => ({ id, line_count });
const pair = (matched_count: number) => ({ id: "rcn_1", left_source_id: "src_1", matched_count });

test("steps are completed in order, from sources to a match", () => {
  expect(done("acme", [], [])).toEqual([false, false, false, false]);
  const sources = [source("src_1", 5), source("src_2", 4)];
  expect(done("acme", [source("src_1", 5), source("src_2", 0)], [])).toEqual([
    true,
    false,
    false,
    false,
  ]);
  expect(done("acme", sources, [pair(0)])).toEqual([true, true, true, false]);
  expect(done("acme", sources, [pair(3)])).toEqual([true, true, true, true]);
});

test("a reconciliation with reported counts completes no step", () => {
  const reported = { id: "rcn_2", left_source_id: null, matched_count: 40 };
  expect(done("acme", [], [reported])).toEqual([false, false, false, false]);
});

test("the import step links to a source without lines, and the match step to the pair's workbench", () => {
  const steps = matchingSteps("acme", [source("src_1", 5), source("src_2", 0)], [pair(0)]);
  expect(steps[1]?.href).toBe("/acme/sources/src_2/import");
  expect(steps[3]?.href).toBe("/acme/reconciliations/rcn_1/workbench");
});
