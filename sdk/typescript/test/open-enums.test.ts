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

test("a later value that was returned can be sent back, a misspelt one can't", () => {
  type Rule = T.MatchingRule;
  const returned = (value: string) => value as T.LaterValue;
  const rule: Pick<Rule, "name" | "kind"> = { name: "Later", kind: returned("by_a_later_engine") };
  const sent: Pick<NonNullable<T.CreateRunRequest["rules"]>[number], "kind"> = rule;
  expect(sent.kind).toBe("by_a_later_engine");
  expectTypeOf<"exact">().toExtend<Rule["kind"]>();
  expectTypeOf<"exakt">().not.toExtend<Rule["kind"]>();
  type Elements<List> = List extends readonly (infer Item)[] ? Item : never;
  expectTypeOf<T.LaterValue>().toExtend<Elements<NonNullable<T.ExceptionFilters["severity"]>>>();
  expectTypeOf<T.LaterValue>().toExtend<Elements<NonNullable<T.WebhookFilters["severity"]>>>();
  expectTypeOf<T.LaterValue>().toExtend<NonNullable<T.ImportMapping["date_format"]>>();
  expectTypeOf<T.LaterValue>().toExtend<T.LineExceptionPolicy["severities"][number]["severity"]>();
});
