/** One world matched by rules and measured against its truth. */
import { match } from "../engine.ts";
import { checkInvariants } from "../invariants.ts";
import type { Rule } from "../rules.ts";
import { type Found, foundIn, linesOf, measure, type Quality } from "./measure.ts";
import type { World } from "./worlds/world.ts";

export type Judged = { world: World; found: Found[]; quality: Quality; milliseconds: number };

/** @throws where a result breaks an invariant: then no figure counts. */
export function judge(world: World, rules: readonly Rule[]): Judged {
  const startedAt = performance.now();
  const result = match({
    left: linesOf("left", world.left),
    right: linesOf("right", world.right),
    rules,
  });
  const milliseconds = performance.now() - startedAt;
  const violations = checkInvariants(result);
  if (violations.length > 0) throw new Error(`${world.name}: ${violations[0]}`);
  const found = foundIn(result, world);
  return { world, found, quality: measure(world, found), milliseconds };
}
