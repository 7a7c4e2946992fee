import { expect, test } from "vitest";
import type { OpenLine } from "#lib/matching/workbench/contract.ts";
import { balanceOf, feesOf, splittableLine } from "./options.ts";

const line = (
  side: "left" | "right",
  open_minor: number,
  id = `${side}${open_minor}`,
): OpenLine => ({
  id,
  side,
  currency: "EUR",
  amount_minor: open_minor,
  open_minor,
  fee_minor: null,
  value_date: "2026-10-05",
  booked_date: null,
  reference: null,
  counterparty: null,
  description: null,
  group_key: null,
  external_id: null,
  suggestion: null,
  exception_id: null,
});

test("the difference of a selection is left minus right, including lines of either sign", () => {
  const { left_minor, right_minor } = balanceOf([
    line("left", 10_000),
    line("left", -250),
    line("right", 9_750),
  ]);
  expect(left_minor - right_minor).toBe(0);
});

test("fees are left minus right, and zero if no line has one", () => {
  const fee = (fee_minor: number, side: "left" | "right") => ({ ...line(side, 10_000), fee_minor });
  expect(feesOf([fee(290, "right"), fee(-290, "right"), fee(1500, "right"), line("left", 1)])).toBe(
    -1500,
  );
  expect(feesOf([fee(290, "left"), line("right", 9710)])).toBe(290);
  expect(feesOf([line("left", 1), line("right", 1)])).toBe(0);
});

test("the line to split is on the larger side, and larger than what stays open", () => {
  expect(splittableLine([line("left", 10_000), line("right", 4_000)])?.id).toBe("left10000");
  expect(splittableLine([line("left", 4_000), line("right", 10_000)])?.id).toBe("right10000");
  expect(splittableLine([line("left", -10_000), line("right", -4_000)])?.id).toBe("left-10000");
});

test("nothing is split if the sides agree, one is missing, or no line is large enough", () => {
  expect(splittableLine([line("left", 100), line("right", 100)])).toBeNull();
  expect(splittableLine([line("left", 100)])).toBeNull();
  expect(
    splittableLine([
      line("left", 100),
      line("left", 100, "b"),
      line("right", 50),
      line("left", 100, "c"),
    ]),
  ).toBeNull();
});
