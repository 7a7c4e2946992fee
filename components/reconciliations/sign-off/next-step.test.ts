import { expect, test } from "vitest";
import type { SignOff } from "#lib/reconciliations/contract.ts";
import { nextStep } from "./next-step.ts";

const signedBy = (...people: string[]) =>
  people.map((signed_by) => ({ signed_by })) as SignOff["signatures"];
const ben = { self: "user:ben", mayReview: true };

test.each([
  ["open", 0, [], ben, null],
  ["open", 1, [], ben, "Next: sign it as prepared, once its work is done."],
  ["prepared", 0, ["user:ada"], ben, "Next: close the period."],
  ["prepared", 1, ["user:ada"], ben, "Next: review the statement and sign, or return it to work."],
  ["prepared", 1, ["user:ben"], ben, "Next: a review by someone other than you."],
  ["prepared", 2, ["user:ada", "user:ben"], ben, "Next: a review by someone other than you."],
  [
    "prepared",
    1,
    ["user:ada"],
    { ...ben, mayReview: false },
    "Next: a review by an admin or a lead.",
  ],
  ["reviewed", 1, ["user:ada", "user:ben"], ben, "Next: close the period."],
] as const)("%s with %i reviews, signed by %j", (state, levels, people, reader, text) => {
  expect(nextStep({ state, levels, signatures: signedBy(...people) }, reader)).toBe(text);
});
