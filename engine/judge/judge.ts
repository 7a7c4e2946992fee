/** Matches a dataset by rules and measures the result against the truth. */
import { match } from "../engine.ts";
import { checkInvariants } from "../invariants.ts";
import type { Rule } from "../rules.ts";
import type { Dataset } from "./datasets/dataset.ts";
import { type Found, foundIn, linesOf, measure, type Quality } from "./measure.ts";

export type Judged = { dataset: Dataset; found: Found[]; quality: Quality; milliseconds: number };

/** @throws if the result violates an invariant, in which case its figures would be meaningless. */
export function judge(dataset: Dataset, rules: readonly Rule[]): Judged {
  const startedAt = performance.now();
  const result = match({
    left: linesOf("left", dataset.left),
    right: linesOf("right", dataset.right),
    rules,
  });
  const milliseconds = performance.now() - startedAt;
  const violations = checkInvariants(result);
  if (violations.length > 0) throw new Error(`${dataset.name}: ${violations[0]}`);
  const found = foundIn(result, dataset);
  return { dataset, found, quality: measure(dataset, found), milliseconds };
}
