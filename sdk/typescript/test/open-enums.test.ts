import { expect, expectTypeOf, test } from "vitest";
import type * as T from "../src/generated/types.gen.ts";

test("a value of a later version compiles in responses, not in requests", () => {
  const status: T.Run["status"] = "paused_by_a_later_version";
  const state: T.Match["state"] = "confirmed";
  expect([status, state]).toEqual(["paused_by_a_later_version", "confirmed"]);
  expectTypeOf<T.CreateExceptionRequest["severity"]>().toEqualTypeOf<T.Severity>();
  expectTypeOf<"later">().not.toExtend<T.Severity>();
  expectTypeOf<T.ReconciliationStatement["left_kind"]>().toEqualTypeOf<
    T.Open<T.SourceKind> | undefined
  >();
});
